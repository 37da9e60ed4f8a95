import { createProgram, type ProgramSpec, parseArguments } from '../cli/program.js';
import { Failure } from '../failure.js';
import { toSafeText } from '../format/safe-text.js';
import { wrapMessage } from '../format/wrap.js';
import type { Terminal } from '../terminal/terminal.js';
import { type Invocation, invocationOf } from './action.js';
import type { AppContext } from './context.js';
import type { Runtime } from './runtime.js';

/** Runs one command line (without node and script) and resolves to its exit code; never rejects. */
export async function run(argv: readonly string[], runtime: Runtime, spec: ProgramSpec): Promise<number> {
  let context: AppContext | undefined;
  const failures: unknown[] = [];
  const attempt = (work: () => Promise<void>) => work().catch((error) => failures.push(error));
  const { terminal, signal } = runtime;
  const canErase = () => terminal.canRedraw && !context?.settings.accessible;
  // The summary of an import follows.
  const onAbort = () => void (canErase() || endTypedLine(terminal));
  signal.addEventListener('abort', onAbort);
  const work = async () => {
    const invocation = await parse(argv, runtime, spec);
    if (!invocation) return;
    if ('text' in invocation) return runtime.terminal.stdout.write(await invocation.text(runtime));
    const { openContext } = await import('./open-context.js');
    context = await openContext(invocation.command, runtime, invocation.options);
    await invocation.run(context);
  };
  await attempt(() => Promise.race([work(), runtime.forcedEnd]));
  const opened = context as AppContext | undefined;
  const isCanceled = failures[0] instanceof Failure && failures[0].kind === 'canceled';
  signal.removeEventListener('abort', onAbort);
  if (canErase() && (isCanceled || signal.aborted)) await eraseTypedLine(terminal);
  else if (isCanceled && !signal.aborted) await endTypedLine(terminal);
  if (opened) {
    await attempt(() => printStatusLine(opened));
    await attempt(() => Promise.race([opened.close(), runtime.forcedEnd]));
  }
  if (failures.length === 0) return 0;
  const { reportFailure } = await import('./report-failure.js');
  return reportFailure(failures[0], argv, runtime, opened);
}

/** Returns what the command line selects; prints help or the version and returns nothing if it asks for them. */
async function parse(
  argv: readonly string[],
  { terminal }: Runtime,
  spec: ProgramSpec,
): Promise<Invocation | undefined> {
  const printed: string[] = [];
  const program = createProgram({
    ...spec,
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
async function eraseTypedLine({ stderr }: Terminal): Promise<void> {
  await stderr.write('\r\u001b[K\u001b[?25h');
}

/** Ends the line on which the terminal has just echoed ^C. */
async function endTypedLine({ stderr }: Terminal): Promise<void> {
  if (stderr.isTerminal) await stderr.write('\n');
}

async function printStatusLine({ connections, settings, clock, runtime: { terminal } }: AppContext): Promise<void> {
  if (settings.quiet) return;
  const reported = await connections.getReportedQuota();
  if (!reported) return;
  const { formatQuota } = await import('../quota/rate-limit-info.js');
  const quota = formatQuota(reported.quota, clock.now());
  if (quota === undefined) return;
  const style = await terminal.createStyle('stderr', settings.color);
  const line = toSafeText(`${reported.label} · ${quota}`);
  const { columns } = terminal.stderr;
  const text = columns === undefined ? line : wrapMessage(line, columns);
  await terminal.stderr.write(`${style.dim(text.trimEnd())}\n`);
}
