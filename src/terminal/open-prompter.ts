import { usageError } from '../failure.js';
import type { Ask, Question } from './prompter.js';
import type { Person, Questions } from './run-prompt.js';

export interface AskOptions extends Person {
  readonly possible: boolean;
  /** `--yes` was given. */
  readonly yes: boolean;
  readonly color: boolean;
  /** Questions by number, a line at a time. */
  readonly accessible: boolean;
}

/** Questions in one of two manners, which is loaded with the first one. */
export function openAsk(options: AskOptions): Ask {
  const { possible, yes } = options;
  let opened: Promise<Questions> | undefined;
  const questions = async ({ otherwise }: Question) => {
    if (!possible) throw usageError('missing_input', otherwise);
    opened ??= openQuestions(options);
    return opened;
  };
  return {
    possible,
    text: async (question) => (await questions(question)).text(question),
    secret: async (question) => (await questions(question)).secret(question),
    choose: async (question) => (await questions(question)).choose(question),
    search: async (question) => (await questions(question)).search(question),
    confirm: async (question) => yes || (await questions(question)).confirm(question),
  };
}

async function openQuestions(options: AskOptions): Promise<Questions> {
  return options.accessible
    ? (await import('./numbered-prompts.js')).openByNumber(options)
    : (await import('./prompts.js')).openPrompts(options);
}
