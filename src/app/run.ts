import type { CommandSpec } from '../cli/command-spec.js';
import { createProgram, parseArguments } from '../cli/program.js';
import { Failure } from '../failure.js';
import { type Invocation, invocationOf } from './action.js';
import type { OpenContext } from './context.js';
import type { Runtime } from './runtime.js';

/** Runs one command line (without node and script) and resolves to its exit code; never rejects. */
export async function run(argv: readonly string[], runtime: Runtime, spec: CommandSpec): Promise<number> {
  const { terminal, signal, forcedEnd } = runtime;
  const { stderr } = terminal;
  let context: OpenContext | undefined;
  let failure: { readonly thrown: unknown } | undefined;
  const attempt = async (work: () => Promise<void>) => {
    await Promise.race([work(), forcedEnd]).catch((thrown) => {
      failure ??= { thrown };
    });
  };
  const canErase = () => terminal.canRedraw && !context?.settings.accessible;
  /** Ends the line on which the terminal has just echoed ^C. */
  const endTypedLine = async () => {
    if (canErase()) await stderr.write(eraseTypedLine);
    else if (stderr.isTerminal) await stderr.write('\n');
  };
  // The summary of an import follows.
  const onAbort = () => void (canErase() || endTypedLine());
  signal.addEventListener('abort', onAbort);
  await attempt(async () => {
    const invocation = await parse(argv, runtime, spec);
    await invocation?.(runtime, async (command) => {
      const { openAppContext } = await import('./context.js');
      context = await openAppContext(command, runtime);
      return context;
    });
  });
  signal.removeEventListener('abort', onAbort);
  const isCanceled = failure?.thrown instanceof Failure && failure.thrown.kind === 'canceled';
  if (canErase() ? isCanceled || signal.aborted : isCanceled && !signal.aborted) await endTypedLine();
  await attempt(async () => context?.close());
  if (!failure) return 0;
  const { reportFailure } = await import('./report-failure.js');
  return reportFailure(failure.thrown, argv, runtime, context);
}

/** Returns what the command line selects; prints help or the version and returns nothing if it asks for them. */
async function parse(
  argv: readonly string[],
  { terminal }: Runtime,
  spec: CommandSpec,
): Promise<Invocation | undefined> {
  const printed: string[] = [];
  const program = createProgram(spec, {
    firstArgument: argv[0],
    write: (text) => printed.push(text),
    width: Math.min(terminal.stdout.columns ?? 80, 99),
  });
  if (await parseArguments(program, argv)) return invocationOf(program);
  await terminal.stdout.write(printed.join(''));
  return undefined;
}

/**
 * Erases the line on which the terminal has echoed ^C. It is empty if a progress bar was there. Also shows the cursor: on
 * Ctrl-C, a terminal discards output that it has not shown yet (termios(3), ISIG).
 */
const eraseTypedLine = '\r\u001b[K\u001b[?25h';
