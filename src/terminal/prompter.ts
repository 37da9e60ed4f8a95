import type { PromptsOptions, PromptsWithHiddenTyping } from './open-prompts.js';
import type { DisableReason, Prompts, Question } from './run-prompt.js';

/**
 * Prompts on stderr. Without an interactive terminal each of them throws a usage failure that names the flag to pass.
 */
export interface Prompter extends Prompts {
  /** True if stdin and stderr are terminals, and prompts are enabled. */
  readonly isInteractive: boolean;
  readonly disableReason: DisableReason | undefined;
  /** Runs a task. After a password prompt in it, text that is typed between prompts is dropped without echo. */
  hideTyping<Result>(task: () => Promise<Result>): Promise<Result>;
}

export interface PrompterOptions extends PromptsOptions {
  readonly isInteractive: boolean;
  readonly disableReason: DisableReason | undefined;
  /** `--yes`: confirms without asking. */
  readonly assumeYes: boolean;
}

/** Returns a prompter that loads its implementation with the first prompt. */
export function openPrompter(options: PrompterOptions): Prompter {
  const { isInteractive, disableReason, assumeYes } = options;
  let hidesTyping = false;
  let opened: Promise<PromptsWithHiddenTyping> | undefined;
  const prompts = async ({ missingInput }: Question) => {
    if (!isInteractive) throw (await import('./missing-input-error.js')).missingInputError(missingInput, disableReason);
    opened ??= import('./open-prompts.js').then(({ openPrompts }) => openPrompts(options, () => hidesTyping));
    return opened;
  };
  return {
    isInteractive,
    disableReason,
    input: async (question) => (await prompts(question)).input(question),
    password: async (question) => (await prompts(question)).password(question),
    select: async (question) => (await prompts(question)).select(question),
    confirm: async (question) => assumeYes || (await prompts(question)).confirm(question),
    hideTyping: async (task) => {
      hidesTyping = true;
      try {
        return await task();
      } finally {
        hidesTyping = false;
        (await opened)?.showTyping();
      }
    },
  };
}
