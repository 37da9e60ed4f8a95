import { type Command, type Failure, type Hint, type MissingInput, usageError } from '../failure.js';
import { formatMissingHint } from '../format/hint.js';
import type { JobControl } from './job-control.js';
import type { Style } from './output.js';

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
  readonly openJobControl: () => Promise<JobControl>;
}

/**
 * Prompts on stderr. Without an interactive terminal each of them throws a usage failure that names the flag to pass.
 */
export interface Prompter extends Prompts {
  /** True if stdin and stderr are terminals, and prompts are enabled. */
  readonly isInteractive: boolean;
  readonly disableReason: DisableReason | undefined;
}

export interface PrompterOptions extends PromptIo {
  readonly isInteractive: boolean;
  readonly disableReason: DisableReason | undefined;
  /** `--yes`: confirms without asking. */
  readonly assumeYes: boolean;
  /** Screen-reader mode: numbered choices, one line at a time. */
  readonly accessible: boolean;
  readonly style: () => Promise<Style>;
}

/** Returns a prompter that loads its implementation with the first prompt. */
export function openPrompter(options: PrompterOptions): Prompter {
  const { isInteractive, disableReason, assumeYes } = options;
  let opened: Promise<Prompts> | undefined;
  const prompts = async ({ missingInput }: Question) => {
    if (!isInteractive) throw missingInputError(missingInput, disableReason);
    opened ??= loadPrompts(options);
    return opened;
  };
  return {
    isInteractive,
    disableReason,
    input: async (question) => (await prompts(question)).input(question),
    password: async (question) => (await prompts(question)).password(question),
    select: async (question) => (await prompts(question)).select(question),
    confirm: async (question) => assumeYes || (await prompts(question)).confirm(question),
  };
}

async function loadPrompts(options: PrompterOptions): Promise<Prompts> {
  if (options.accessible) return (await import('./numbered-prompts.js')).openNumberedPrompts(options);
  const [{ openInquirerPrompts }, style] = await Promise.all([import('./inquirer-prompts.js'), options.style()]);
  return openInquirerPrompts({ ...options, style });
}

/** Returns the usage failure for a question that cannot be asked, and says what disables prompts on a terminal. */
export function missingInputError(
  { message, hint, missing, next = [] }: Question['missingInput'],
  reason: DisableReason | undefined,
): Failure {
  const text = reason === undefined ? message : `${message}; prompts are disabled, because ${reason.clause}`;
  const fullHint = addEnableHint(hint ?? formatMissingHint(missing), reason);
  return usageError('missing_input', text, fullHint, { missing, next });
}

/** Returns the hint, and how to enable prompts in CI and for an AI agent. */
export function addEnableHint(hint: Hint, reason: DisableReason | undefined): Hint {
  if (!reason?.canOverride) return hint;
  return [...(typeof hint === 'string' ? [hint] : hint), ', or set PETSTORE_NO_INPUT=0 to enable prompts'];
}

/** Options of readline for a stream of keys; only the first call for a stream sets them. */
export const keypressOptions = {
  /** In milliseconds. With the 500 of readline, a key typed soon after Esc would become part of a sequence. */
  escapeCodeTimeout: 50,
};
