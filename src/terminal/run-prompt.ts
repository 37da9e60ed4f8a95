import { emitKeypressEvents, type Interface } from 'node:readline';
import { type Command, canceledError, type Hint, type MissingInput } from '../failure.js';
import { formatNumber } from '../format/duration.js';
import type { JobControl } from './job-control.js';
import { joinPastedLines } from './paste.js';

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
  /** True if Esc repeats an earlier question; otherwise Esc cancels. */
  readonly canGoBack?: boolean;
  /** True if the question is asked again, below a message about the last answer. */
  readonly isRepeated?: boolean;
}

/** What disables prompts on a terminal. */
export interface DisableReason {
  /** A clause after `because`: `CI is set`. */
  readonly clause: string;
  /** True if PETSTORE_NO_INPUT=0 enables prompts. */
  readonly canOverride?: true;
}

export interface FreeTextQuestion extends Question {
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
  /** Makes signals abort `signal` until the returned function is called. A second one runs `cleanUp` and ends the process. */
  readonly deferSignals: (cleanUp?: () => void) => () => void;
  readonly openJobControl: () => Promise<JobControl>;
  readonly screen: ScreenState;
}

/** Which screen the terminal shows. After a resize, terminals wrap lines again on the main screen only. */
interface ScreenState {
  isAlternate: boolean;
}

/**
 * Runs a prompt. Throws a failure (canceled) on Ctrl-C, on a signal and at the end of input, and the reason passed to
 * `abort`.
 */
export async function runPrompt<Answer>(
  { stdin, signal, deferSignals, openJobControl }: PromptIo,
  prompt: (signal: AbortSignal, abort: (reason: unknown) => void) => Promise<Answer>,
): Promise<Answer> {
  // A stream that has ended emits no `end`.
  if (!stdin.readable) throw canceledError();
  const jobControl = await openJobControl();
  // Readline would be stopped while it opens, and `resume` would draw the prompt a second time.
  await jobControl.stopInBackground();
  const aborter = new AbortController();
  emitKeypressEvents(stdin, keypressOptions as unknown as Interface);
  const restoreSignals = deferSignals();
  let isDone = false;
  const release = jobControl.add({
    suspend: () => {},
    resume: () => {
      // Deferred until readline, which pauses its input on Ctrl-Z, has handled the signal.
      setImmediate(() => {
        if (isDone) return;
        // The shell has reset the terminal to cooked mode. Node.js skips setting a mode that it believes is set.
        if (stdin.isRaw) stdin.setRawMode(false).setRawMode(true);
        stdin.resume();
      });
    },
  });
  // Without this, the prompt stays unsettled, and the process exits silently.
  const onEnd = () => aborter.abort(canceledError());
  const combined = AbortSignal.any([signal, aborter.signal]);
  const stopJoining = joinPastedLines(stdin);
  stdin.on('end', onEnd).on('close', onEnd);
  try {
    return await prompt(combined, (reason) => aborter.abort(reason));
  } catch (error) {
    // Signals stay deferred: a second Ctrl-C must not end the process before it has printed the cancellation.
    deferSignals();
    combined.throwIfAborted();
    if ((error as Error).name === 'ExitPromptError') throw canceledError();
    throw error;
  } finally {
    stdin.off('end', onEnd).off('close', onEnd);
    stopJoining();
    // A stream that is still read keeps the process alive.
    stdin.pause();
    isDone = true;
    release();
    restoreSignals();
  }
}

/**
 * Options of readline for a stream of keys; only the first call for a stream sets them. They replace the interface of
 * the first prompt: while several characters arrive at once, readline appends them to the line of that interface
 * instead of inserting them at the cursor (`isCompletionEnabled`, tried with Node.js 20).
 */
const keypressOptions = {
  /** In milliseconds. With the 500 of readline, a key typed soon after Esc would become part of a sequence. */
  escapeCodeTimeout: 50,
};

/** In UTF-16 units. Prompts redraw on every key, so a pasted file would take minutes. */
export const maxAnswerLength = 2_048;
export const answerTooLong = `the text must not exceed ${formatNumber(maxAnswerLength)} characters`;
