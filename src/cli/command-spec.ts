import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../app/context.js';
import type { Column, Shown } from './command-result.js';

/** What a word needs to declare itself; everything else is Commander's own. */
export interface Frame {
  /** Makes an action of what loads a function from context and parsed arguments to a view, once a line asks for it. */
  act<Parameters extends unknown[]>(
    load: () => Promise<(context: Context, ...parameters: Parameters) => Promise<Shown>>,
    options?: ActOptions,
  ): (...parameters: [...Parameters, unknown]) => Promise<void>;
  /** The same for an action that needs nothing of the world, and runs whatever state that is in. */
  print<Parameters extends unknown[]>(
    action: (...parameters: Parameters) => Promise<string>,
  ): (...parameters: Parameters) => Promise<void>;
  /** Gives a command its examples, each with what it does; shown in help and manual. */
  examples(command: AnyCommand, examples: Examples): void;
  /** Gives a command paragraphs that only its manual page shows; `code` stands between backticks. */
  notes(command: AnyCommand, ...paragraphs: readonly string[]): void;
  /** Gives a command the loader of its columns, whose keys `--fields` takes. */
  columns(command: AnyCommand, load: Manual['columns']): void;
  /** Gives a command the words that may follow it. */
  words(command: AnyCommand, words: readonly Word[]): void;
  /** What a command was given so. */
  manualOf(command: AnyCommand): Manual;
  /** The program with every word declared. */
  whole(): AnyCommand;
}

type Examples = readonly (readonly [line: string, purpose: string])[];

export interface Manual {
  readonly examples: Examples;
  readonly notes: readonly string[];
  readonly columns?: (() => Promise<readonly Column[]>) | undefined;
}

export interface ActOptions {
  /** Runs on a configuration that cannot be used, too: what mends or examines it must. */
  readonly tolerant?: boolean;
}

/** Any command, whatever its options. */
// biome-ignore lint/suspicious/noExplicitAny: Commander's type parameters are invariant
export type AnyCommand = Command<any, any, any>;

/** A noun or a verb: what help says of it, and its arguments, flags and further words, declared once a line names it. */
export interface Word {
  readonly name: string;
  /** One sentence. */
  readonly purpose: string;
  /** Left out of help, manual and completions. */
  readonly isHidden?: true;
  declare(command: Command, frame: Frame): void;
}
