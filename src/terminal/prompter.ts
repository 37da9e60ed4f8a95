import type { Style } from './output.js';
import type { DisableReason, PromptIo, Prompts, Question } from './run-prompt.js';

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
    if (!isInteractive) throw (await import('./missing-input-error.js')).missingInputError(missingInput, disableReason);
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
