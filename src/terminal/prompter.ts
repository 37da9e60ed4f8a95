import { canceledError, type Failure, type Hint, usageError } from '../failure.js';
import { formatMissingHint } from '../format/hint.js';
import type { Style } from './output.js';
import type { DisableReason, PromptIo, Prompts, Question } from './prompts.js';

/**
 * Prompts on stderr. Without an interactive terminal each of them throws a usage failure that names the flag to pass.
 */
export interface Prompter extends Omit<Prompts, 'confirm'>, Pick<PromptIo, 'isInteractive' | 'disableReason'> {
  /** Resolves once the user, or `--yes`, confirms; throws a failure (canceled) if the user declines. */
  confirm(confirmation: Confirmation): Promise<void>;
}

interface Confirmation {
  readonly message: string;
  /** The answer for Enter alone: true unless given. */
  readonly default?: boolean;
  /** The error if no prompt is possible. The default hint names `--yes`. */
  readonly problem: string;
  readonly hint?: Hint;
}

export interface PrompterOptions extends PromptIo {
  /** `--yes`: confirms without asking. */
  readonly assumeYes: boolean;
  /** Screen-reader mode: numbered choices, one line at a time. */
  readonly accessible: boolean;
  readonly style: () => Promise<Style>;
}

/** Returns a prompter that loads its implementation with the first prompt. */
export function openPrompter(options: PrompterOptions): Prompter {
  const { isInteractive, disableReason, assumeYes, stdin } = options;
  let opened: Promise<Prompts> | undefined;
  const prompts = async ({ missingInput }: Question) => {
    if (!isInteractive) throw missingInputError(missingInput, disableReason);
    opened ??= loadPrompts(options);
    const loaded = await opened;
    // A stream that has ended emits no `end`.
    if (!stdin.readable) throw canceledError();
    (await options.openJobControl()).stopInBackground();
    return loaded;
  };
  return {
    isInteractive,
    disableReason,
    input: async (question) => (await prompts(question)).input(question),
    password: async (question) => (await prompts(question)).password(question),
    select: async (question) => (await prompts(question)).select(question),
    confirm: async ({ problem, hint, ...confirmation }) => {
      if (assumeYes) return;
      const missingInput = { message: problem, missing: [{ syntax: '--yes' }], ...(hint !== undefined && { hint }) };
      const question = { ...confirmation, missingInput };
      const { confirm } = await prompts(question);
      await dropInput(stdin);
      if (!(await confirm(question))) throw canceledError();
    },
  };
}

/** Drops text that was typed before now on a terminal: it must not answer a confirmation. */
async function dropInput(stdin: NodeJS.ReadStream): Promise<void> {
  if (!stdin.isTTY) return;
  let chunks = 0;
  let lastChunks = 0;
  const drop = () => {
    chunks += 1;
  };
  // Without Enter, the terminal delivers keys in raw mode only.
  stdin.setRawMode(true).on('data', drop).resume();
  do {
    lastChunks = chunks;
    // Node.js polls for input between the two.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  } while (chunks > lastChunks);
  stdin.off('data', drop).pause();
  stdin.setRawMode(false);
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
