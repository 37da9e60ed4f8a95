import { styleText } from 'node:util';
import type { Ask, Question } from '../ports/ask.js';
import { usage } from '../ports/failure.js';
import { safe } from '../text/safe.js';
import { attend, longestAnswer, type Person, type PromptContext, tooLong } from './attend.js';

export interface AskOptions extends Person {
  readonly possible: boolean;
  /** `--yes` was given. */
  readonly yes: boolean;
  readonly color: boolean;
  /** Questions by number, a line at a time. */
  readonly accessible: boolean;
}

/** Questions by @inquirer/prompts, which is loaded with the first one. */
export function openAsk(options: AskOptions): Ask {
  const { possible, yes } = options;
  if (options.accessible) return openPlainly(options);
  const theme: { readonly style?: object } = options.color ? {} : plainTheme;
  // What is typed may have been pasted.
  const searchTerm = (text: string) => (options.color ? styleText('cyan', safe(text)) : safe(text));
  const ask = async <Answer>(
    { otherwise }: Question,
    prompt: (prompts: Prompts, context: PromptContext) => Promise<Answer>,
  ) => {
    if (!possible) throw usage('missing_input', otherwise);
    return answered(options, prompt);
  };
  return {
    possible,
    text: (question) =>
      ask(question, ({ input }, context) =>
        input(
          {
            message: safe(question.message),
            validate: validating(question),
            transformer: (answer) => safe(answer),
            theme,
          },
          context,
        ),
      ),
    secret: (question) =>
      ask(question, ({ password }, context) =>
        password(
          {
            message: safe(question.message),
            validate: validating(question),
            // Nothing shows it: what was once on the screen stays in its history.
            toggleMask: false,
            theme,
          },
          context,
        ),
      ),
    choose: (question) =>
      ask(question, ({ select }, context) =>
        select(
          {
            message: safe(question.message),
            choices: question.choices.map(({ name, value }) => ({ name: safe(name), value })),
            ...(question.current !== undefined && { default: question.current }),
            theme,
          },
          context,
        ),
      ),
    search: (question) =>
      ask(question, ({ search }, context) =>
        search(
          {
            message: safe(question.message),
            source: (term = '') =>
              question.choices
                .filter(({ name }) => name.toLowerCase().includes(term.toLowerCase()))
                .map(({ name, value }) => ({ name: safe(name), value })),
            theme: { ...theme, style: { ...theme.style, searchTerm } },
          },
          context,
        ),
      ),
    confirm: async (question) =>
      yes ||
      ask(question, ({ confirm }, context) =>
        confirm(
          { message: safe(question.message), default: question.default ?? true, theme },
          context,
        ),
      ),
  };
}

/** The same for who hears the terminal or feels it. */
function openPlainly(options: AskOptions): Ask {
  const { possible, yes } = options;
  let opened: ReturnType<typeof import('./by-number.js').openByNumber> | undefined;
  const questions = async ({ otherwise }: Question) => {
    if (!possible) throw usage('missing_input', otherwise);
    const { openByNumber } = await import('./by-number.js');
    opened ??= openByNumber(options);
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

function validating({ problemWith }: { problemWith: (answer: string) => string | undefined }) {
  return (answer: string) => {
    const problem = problemWith(answer);
    return problem === undefined || safe(problem);
  };
}

type Prompts = typeof import('@inquirer/prompts');
async function answered<Answer>(
  person: Person,
  prompt: (prompts: Prompts, context: PromptContext) => Promise<Answer>,
): Promise<Answer> {
  const prompts = await import('@inquirer/prompts');
  return attend(person, async (context, end) => {
    let typed = 0;
    const onData = (chunk: Uint8Array | string) => {
      typed += chunk.length;
      if (typed > longestAnswer) end(tooLong());
    };
    person.stdin.on('data', onData);
    try {
      return await prompt(prompts, context);
    } finally {
      person.stdin.off('data', onData);
    }
  });
}

const same = (text: string) => text;

/** The looks of prompts without colour; they read `NO_COLOR` in some versions of Node.js only. */
const plainTheme = {
  prefix: { idle: '?', done: '✔' },
  style: {
    answer: same,
    message: same,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `(${text})`,
    help: same,
    highlight: same,
    key: (text: string) => `<${text}>`,
    disabled: same,
    description: same,
    keysHelpTip: (keys: readonly (readonly [string, string])[]) =>
      keys.map(([key, action]) => `${key} ${action}`).join(' • '),
  },
};
