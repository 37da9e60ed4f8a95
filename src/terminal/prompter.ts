import { type Failure, type Hint, usageError } from '../failure.js';
import { formatMissingHint } from '../format/hint.js';
import type { Style } from './output.js';
import type { DisableReason, PromptIo, Prompts, Question } from './prompts.js';

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
  { message, hint, missing }: Question['missingInput'],
  reason: DisableReason | undefined,
): Failure {
  const text = reason === undefined ? message : `${message}; prompts are disabled, because ${reason.clause}`;
  const fullHint = addEnableHint(hint ?? formatMissingHint(missing), reason);
  return usageError('missing_input', text, fullHint, { missing });
}

/** Returns the hint, and how to enable prompts in CI and for an AI agent. */
export function addEnableHint(hint: Hint, reason: DisableReason | undefined): Hint {
  if (!reason?.canOverride) return hint;
  return [...(typeof hint === 'string' ? [hint] : hint), ', or set PETSTORE_NO_INPUT=0 to enable prompts'];
}
