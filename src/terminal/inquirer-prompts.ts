import { styleText } from 'node:util';
import { confirm, input, password, search, select } from '@inquirer/prompts';
import { toSafeText } from '../format/safe-text.js';
import {
  inputTooLong,
  maxAnswerLength,
  type PromptContext,
  type PromptIo,
  type Prompts,
  runPrompt,
} from './run-prompt.js';

/** Questions by @inquirer/prompts, drawn anew with every key. */
export function openInquirerPrompts(options: PromptIo & { readonly hasColor: boolean }): Prompts {
  const theme: { readonly style?: object } = options.hasColor ? {} : plainTheme;
  // What is typed may have been pasted.
  const searchTerm = (text: string) =>
    options.hasColor ? styleText('cyan', toSafeText(text)) : toSafeText(text);
  const ask = <Answer>(prompt: (context: PromptContext) => Promise<Answer>) =>
    answered(options, prompt);
  return {
    input: (question) =>
      ask((context) =>
        input(
          {
            message: toSafeText(question.message),
            validate: validating(question),
            transformer: (answer) => toSafeText(answer),
            theme,
          },
          context,
        ),
      ),
    password: (question) =>
      ask((context) =>
        password(
          {
            message: toSafeText(question.message),
            validate: validating(question),
            // Nothing shows it: what was once on the screen stays in its history.
            toggleMask: false,
            theme,
          },
          context,
        ),
      ),
    select: (question) =>
      ask((context) =>
        select(
          {
            message: toSafeText(question.message),
            choices: question.choices.map(({ name, value }) => ({ name: toSafeText(name), value })),
            ...(question.default !== undefined && { default: question.default }),
            theme,
          },
          context,
        ),
      ),
    search: (question) =>
      ask((context) =>
        search(
          {
            message: toSafeText(question.message),
            source: (term = '') =>
              question.choices
                .filter(({ name }) => name.toLowerCase().includes(term.toLowerCase()))
                .map(({ name, value }) => ({ name: toSafeText(name), value })),
            theme: { ...theme, style: { ...theme.style, searchTerm } },
          },
          context,
        ),
      ),
    confirm: (question) =>
      ask((context) =>
        confirm(
          { message: toSafeText(question.message), default: question.default ?? true, theme },
          context,
        ),
      ),
  };
}

function validating({ validate }: { validate: (answer: string) => string | undefined }) {
  return (answer: string) => {
    const problem = validate(answer);
    return problem === undefined || toSafeText(problem);
  };
}

async function answered<Answer>(
  person: PromptIo,
  prompt: (context: PromptContext) => Promise<Answer>,
): Promise<Answer> {
  return runPrompt(person, async (context, end) => {
    let typed = 0;
    const onData = (chunk: Uint8Array | string) => {
      typed += chunk.length;
      if (typed > maxAnswerLength) end(inputTooLong());
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
