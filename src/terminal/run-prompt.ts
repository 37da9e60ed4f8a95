import { canceledError, Failure, usageError } from '../failure.js';
import type { Ask } from './prompter.js';

/** Who types, and what may end that. */
export interface Person {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  /** Makes signals abort `signal` until what it returns is called. */
  readonly hold: () => () => void;
  /** Does this where the process was stopped and goes on, until what it returns is called. */
  readonly onResume: (act: () => void) => () => void;
}

/** What puts a question to a person who is there. */
export type Questions = Pick<Ask, 'text' | 'secret' | 'choose' | 'search' | 'confirm'>;

export interface PromptContext {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/**
 * Runs a prompt, and puts an answer that is refused into a failure: Ctrl-C, Ctrl-D, a closed terminal, a signal, or
 * whatever `end` is called with.
 */
export async function attend<Answer>(
  { stdin, stderr, signal, hold, onResume }: Person,
  prompt: (context: PromptContext, end: (reason: unknown) => void) => Promise<Answer>,
): Promise<Answer> {
  const ended = new AbortController();
  const release = hold();
  let isOver = false;
  const forget = onResume(() => {
    // After readline, which pauses what it reads at Ctrl-Z.
    setImmediate(() => {
      if (isOver) return;
      // The shell had the terminal, and shows what is typed. Node.js sets no mode that it takes for set.
      if (stdin.isRaw) stdin.setRawMode(false).setRawMode(true);
      stdin.resume();
    });
  });
  const end = () => ended.abort(endOfInput());
  // Without this the end of input leaves the question open and the process without anything to do.
  const onKey = (_: unknown, key?: { name?: string; ctrl?: boolean }) => {
    if (key?.ctrl && key.name === 'd') end();
  };
  const onAbort = () => ended.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  stdin.on('end', end).on('close', end).on('keypress', onKey);
  try {
    return await prompt({ input: stdin, output: stderr, signal: ended.signal }, (reason) =>
      ended.abort(reason),
    );
  } catch (error) {
    if (ended.signal.aborted) throw ended.signal.reason;
    if ((error as Error).name === 'ExitPromptError') throw canceledError();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    stdin.off('end', end).off('close', end).off('keypress', onKey);
    // A terminal that is still read would keep the process alive.
    stdin.pause();
    isOver = true;
    forget();
    release();
  }
}

/** A question is drawn anew with every key, which a pasted file would make last for minutes. */
export const longestAnswer = 2_048;

export function tooLong(): Failure {
  return usageError('input_too_long', `more than ${longestAnswer} characters were typed or pasted`);
}

function endOfInput(): Failure {
  return new Failure('usage', {
    code: 'end_of_input',
    message: 'the input ended before the question was answered',
  });
}
