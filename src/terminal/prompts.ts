import { styleText } from 'node:util';
import { confirm, input, password, search, select } from '@inquirer/prompts';
import { safe } from '../format/safe.js';
import {
  attend,
  longestAnswer,
  type Person,
  type PromptContext,
  type Questions,
  tooLong,
} from './run-prompt.js';

/** Questions by @inquirer/prompts, drawn anew with every key. */
export function openPrompts(options: Person & { readonly color: boolean }): Questions {
  const theme: { readonly style?: object } = options.color ? {} : plainTheme;
  // What is typed may have been pasted.
  const searchTerm = (text: string) => (options.color ? styleText('cyan', safe(text)) : safe(text));
  const ask = <Answer>(prompt: (context: PromptContext) => Promise<Answer>) =>
    answered(options, prompt);
  return {
    text: (question) =>
      ask((context) =>
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
      ask((context) =>
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
      ask((context) =>
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
      ask((context) =>
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
    confirm: (question) =>
      ask((context) =>
        confirm(
          { message: safe(question.message), default: question.default ?? true, theme },
          context,
        ),
      ),
  };
}

function validating({ problemWith }: { problemWith: (answer: string) => string | undefined }) {
  return (answer: string) => {
    const problem = problemWith(answer);
    return problem === undefined || safe(problem);
  };
}

async function answered<Answer>(
  person: Person,
  prompt: (context: PromptContext) => Promise<Answer>,
): Promise<Answer> {
  return attend(person, async (context, end) => {
    let typed = 0;
    const onData = (chunk: Uint8Array | string) => {
      typed += chunk.length;
      if (typed > longestAnswer) end(tooLong());
    };
    person.stdin.on('data', onData);
    try {
      return await prompt(context);
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
