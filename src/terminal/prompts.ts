import type { Command, Hint, MissingInput } from '../failure.js';
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
  /** True if stdin and stderr are terminals, and prompts are enabled. */
  readonly isInteractive: boolean;
  /** What disables prompts on a terminal. */
  readonly disableReason: DisableReason | undefined;
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  readonly openJobControl: () => Promise<JobControl>;
}

/** Options of readline for a stream of keys; only the first call for a stream sets them. */
export const keypressOptions = {
  /** In milliseconds. With the 500 of readline, a key typed soon after Esc would become part of a sequence. */
  escapeCodeTimeout: 50,
};
