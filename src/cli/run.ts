import type { CommanderError } from '@commander-js/extra-typings';
import type { Quota } from '../api/rate-limit-headers.js';
import type { Context } from '../app/context.js';
import { InsteadOfSending } from '../client/client-types.js';
import type { Clock } from '../clock.js';
import type { GlobalFlags, Settings } from '../config/settings.js';
import { Failure, usageError } from '../failure.js';
import type { JqRunner, OpenJqRunner } from '../format/jq-runner.js';
import { toSafeText } from '../format/safe-text.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Shown } from './command-result.js';
import type { ActOptions, AnyCommand, Frame, Word } from './command-spec.js';
import { collectGlobalFlags } from './flags.js';
import { createProgram, fromUser } from './program.js';

/** The world as one command sees it, opened once its flags are known. */
export interface Session {
  readonly context: Context;
  /** The service that was reached, and what it last said of the quota. */
  readonly reached: () => { readonly label: string; readonly quota: Quota } | undefined;
  /** Ends what runs on: connections, the database, the ledger. */
  readonly close: () => Promise<void>;
}

export interface Setup {
  readonly version: string;
  readonly nouns: readonly Word[];
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** The value of `PETSTORE_OUTPUT`, for the report of a line that cannot be read. */
  readonly preferredOutput: string | undefined;
  readonly openJq: OpenJqRunner;
  readonly open: (flags: GlobalFlags, options: ActOptions) => Promise<Session>;
}

/** Runs one command line (without node and script) and resolves to its exit code; never rejects. */
export async function run(argv: readonly string[], setup: Setup): Promise<number> {
  let session = undefined as Session | undefined;
  const open: Setup['open'] = async (...given) => {
    session = await setup.open(...given);
    return session;
  };
  const failures: unknown[] = [];
  const attempt = (work: () => Promise<void>) => work().catch((error) => failures.push(error));
  await attempt(() => perform(argv, { ...setup, open }));
  const opened = session;
  const isCancelled = failures[0] instanceof Failure && failures[0].kind === 'canceled';
  if (isCancelled || opened?.context.signal.aborted) await leaveLine(setup.terminal);
  if (opened) {
    await attempt(() => tellStatus(opened, setup));
    await attempt(opened.close);
  }
  return failures.length === 0 ? 0 : report(failures[0], argv, setup, opened);
}

async function perform(argv: readonly string[], setup: Setup): Promise<void> {
  const { version, nouns, terminal } = setup;
  const printed: string[] = [];
  const { program } = createProgram({
    version,
    nouns,
    first: argv[0],
    frame: createFrame(setup),
    write: (text) => printed.push(text),
    width: Math.min(terminal.stdout.columns ?? 80, 99),
  });
  try {
    await program.parseAsync(argv, fromUser);
  } catch (error) {
    if (!isCommanderError(error)) throw error;
    if (!shows.includes(error.code)) throw usageFailure(error);
    await terminal.stdout.write(printed.join(''));
  }
}

function createFrame({ open, openJq, terminal }: Setup): Pick<Frame, 'act' | 'print'> {
  return {
    print<Parameters extends unknown[]>(action: (...parameters: Parameters) => Promise<string>) {
      return async (...words: Parameters) => terminal.stdout.write(await action(...words));
    },
    act<Parameters extends unknown[]>(
      load: () => Promise<(context: Context, ...parameters: Parameters) => Promise<Shown>>,
      options: ActOptions = {},
    ) {
      // Commander hands over the arguments, then the options, then the command itself.
      return async (...words: [...Parameters, unknown]) => {
        const flags = collectGlobalFlags(words.at(-1) as AnyCommand);
        const { context } = await open(flags, options);
        const { settings } = context;
        // A program that cannot be read is told before anything is done.
        const jq = flags.jq === undefined ? undefined : await openJq(flags.jq);
        try {
          // Where there is no address to show, nothing is asked and looked at first.
          if (settings.curl) await context.client();
          const action = await load();
          const view = await action(context, ...(words.slice(0, -1) as Parameters));
          // Records may come later, and with them the request.
          if (settings.curl && view.kind !== 'records') throw nothingToShow();
          await show(view, settings, terminal, jq);
          if (view.failure) throw view.failure;
        } catch (error) {
          if (!(error instanceof InsteadOfSending)) throw error;
          await terminal.stdout.write(error.text);
        } finally {
          await jq?.close();
        }
      };
    },
  };
}

async function show(
  view: Shown,
  settings: Settings,
  terminal: Terminal,
  jq?: JqRunner,
): Promise<void> {
  if (jq) return (await import('./render-jq.js')).renderFiltered(view, settings, terminal, jq);
  return (await import('./render.js')).render(view, settings, terminal);
}

function nothingToShow(): Failure {
  return usageError(
    'invalid_flag',
    '--curl has nothing to show: as it stands this command sends no request',
    'quota sends one with --refresh, auth status with --check, pets add without --dry-run',
  );
}

/** What Commander ends with where it printed what was asked for: a group alone shows its help. */
const shows = ['commander.help', 'commander.helpDisplayed', 'commander.version'];

function isCommanderError(error: unknown): error is CommanderError {
  return String((error as CommanderError).code).startsWith('commander.');
}

function usageFailure({ code, message }: CommanderError): Failure {
  const [problem = '', suggestion] = message.replace(/^error: /, '').split('\n');
  return new Failure('usage', {
    code: code.slice('commander.'.length).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    // What was given as a value may be a secret that was meant for elsewhere.
    message: problem.replace(/^(unknown option '--[^'=]*)=.*'$/s, "$1'"),
    hint: suggestion?.replace(/^\(Did you mean (one of )?(.*)\?\)$/, 'did you mean $1"$2"?'),
  });
}

/** The terminal has just shown ^C, and what follows shall not stand behind it. */
async function leaveLine({ stderr }: Terminal): Promise<void> {
  if (stderr.isTerminal) await stderr.write('\n');
}

async function tellStatus(
  { context, reached }: Session,
  { terminal, clock }: Setup,
): Promise<void> {
  const seen = reached();
  if (!seen || context.settings.quiet) return;
  const { statusLine } = await import('../quota/status-line.js');
  const line = statusLine(seen.label, seen.quota, clock.now());
  if (line === undefined) return;
  const style = await terminal.createStyle('stderr', context.settings.color);
  await terminal.stderr.write(`${style.dim(line)}\n`);
}

async function report(
  thrown: unknown,
  argv: readonly string[],
  { terminal, clock, preferredOutput }: Setup,
  session: Session | undefined,
): Promise<number> {
  const { asFailure, exitCodeOf, formatFailure, formatFailureJson, guessFormat } = await import(
    './report.js'
  );
  const failure = asFailure(thrown);
  const settings = session?.context.settings;
  const format = settings?.output ?? guessFormat(argv, preferredOutput);
  if (settings?.debug || argv.includes('--debug')) {
    await terminal.stderr.write(toSafeText(stackOf(failure), { multiline: true }));
  }
  const color = argv.includes('--no-color') ? 'never' : 'auto';
  const style = await terminal.createStyle('stderr', settings?.color ?? color);
  await terminal.stderr.write(
    format === 'table' ? formatFailure(failure, style, clock.now()) : formatFailureJson(failure),
  );
  return exitCodeOf(failure);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return `${error.stack}\n${stackOf(error.cause)}`;
}
