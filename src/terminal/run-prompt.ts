import { emitKeypressEvents, type Interface } from 'node:readline';
import { type Command, canceledError, type Hint, type MissingInput } from '../failure.js';
import type { JobControl } from './job-control.js';

/** One of several answers; `name` may be untrusted text. */
interface Choice<Value> {
  readonly value: Value;
  readonly name: string;
}

export interface Question {
  readonly message: string;
  /** The error if no prompt is possible. The default hint names the missing flags. */
  readonly missingInput: {
    readonly message: string;
    readonly missing: readonly MissingInput[];
    readonly hint?: Hint;
    readonly next?: readonly Command[];
  };
}

/** What disables prompts on a terminal. */
export interface DisableReason {
  /** A clause after `because`: `CI is set`. */
  readonly clause: string;
  /** True if PETSTORE_NO_INPUT=0 enables prompts. */
  readonly canOverride?: true;
}

interface FreeTextQuestion extends Question {
  /** The text to edit. */
  readonly default?: string | undefined;
  /** Returns the problem with an answer, or nothing if it is valid. */
  readonly validate: (answer: string) => string | undefined;
}

/** Prompts that throw a failure (canceled) on Ctrl-C, Esc and the end of input. */
export interface Prompts {
  input(question: FreeTextQuestion): Promise<string>;
  /** Reads a line without showing it. */
  password(question: Omit<FreeTextQuestion, 'default'>): Promise<string>;
  select<Value>(
    question: Question & { readonly choices: readonly Choice<Value>[]; readonly default?: Value | undefined },
  ): Promise<Value>;
  /** `default` is the answer for Enter alone: true unless given. */
  confirm(question: Question & { readonly default?: boolean }): Promise<boolean>;
}

/** Streams and signals of the terminal that prompts run on. */
export interface PromptIo {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  /** Makes signals abort `signal` until the returned function is called. A second one ends the process. */
  readonly deferSignals: () => () => void;
  readonly openJobControl: () => Promise<JobControl>;
}

/**
 * Runs a prompt. Throws a failure (canceled) on Ctrl-C, on Ctrl-D in an empty line, on a signal and at the end of input,
 * and the reason passed to `abort`.
 */
export async function runPrompt<Answer>(
  { stdin, stderr, signal, deferSignals, openJobControl }: PromptIo,
  prompt: (signal: AbortSignal, abort: (reason: unknown) => void) => Promise<Answer>,
): Promise<Answer> {
  // A stream that has ended emits no `end`.
  if (!stdin.readable) throw canceledError();
  // Otherwise, raw mode would stop this process, and later restore the modes of the shell.
  (await openJobControl()).stopInBackground();
  const aborter = new AbortController();
  const combined = AbortSignal.any([signal, aborter.signal]);
  emitKeypressEvents(stdin, keypressOptions as unknown as Interface);
  const restoreSignals = deferSignals();
  let isDone = false;
  let isEndKey = false;
  const onKey = (_: unknown, { ctrl, name }: { readonly ctrl?: boolean; readonly name?: string } = {}) => {
    isEndKey = ctrl === true && name === 'd';
    // Lists and hidden input have hidden it. The key listener of readline, which stops the process, comes later.
    if (ctrl && name === 'z') stderr.write(showCursor);
  };
  const cancel = () => aborter.abort(canceledError());
  // Readline pauses its input when Ctrl-D closes it, and after Ctrl-Z and `fg`. A prompt would then never settle.
  const onPause = () => {
    if (isEndKey) cancel();
    else setImmediate(() => isDone || stdin.resume());
  };
  // If the terminal is closed, reads and changes of its modes fail. Readline would throw the error.
  const { emit } = stdin;
  stdin.emit = (name: string, ...values: unknown[]) => {
    if (name !== 'error') return Reflect.apply(emit, stdin, [name, ...values]);
    cancel();
    return true;
  };
  stdin.on('keypress', onKey).on('pause', onPause).on('end', cancel).on('close', cancel);
  try {
    return await prompt(combined, (reason) => aborter.abort(reason));
  } catch (error) {
    // Signals stay deferred: a second Ctrl-C must not end the process before it has printed the cancellation.
    deferSignals();
    combined.throwIfAborted();
    if ((error as Error).name === 'ExitPromptError') throw canceledError();
    throw error;
  } finally {
    isDone = true;
    stdin.emit = emit;
    stdin.off('keypress', onKey).off('pause', onPause).off('end', cancel).off('close', cancel);
    // A stream that is still read keeps the process alive.
    stdin.pause();
    restoreSignals();
  }
}

/** DECTCEM. */
const showCursor = '\u001b[?25h';

/**
 * Options of readline for a stream of keys; only the first call for a stream sets them. They replace the interface of
 * the first prompt: while several characters arrive at once, readline appends them to the line of that interface
 * instead of inserting them at the cursor (`isCompletionEnabled`, tried with Node.js 20).
 */
const keypressOptions = {
  /** In milliseconds. With the 500 of readline, a key typed soon after Esc would become part of a sequence. */
  escapeCodeTimeout: 50,
};
