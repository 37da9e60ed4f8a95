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

/** Returns prompts by @inquirer/prompts, which redraw with every key. */
export function openInquirerPrompts(options: PromptIo & { readonly hasColor: boolean }): Prompts {
  const theme: { readonly style?: object } = options.hasColor ? {} : plainTheme;
  // Typed text may be pasted from an untrusted source.
  const searchTerm = (text: string) => (options.hasColor ? styleText('cyan', toSafeText(text)) : toSafeText(text));
  const run = <Answer>(prompt: (context: PromptContext) => Promise<Answer>) => runLimited(options, prompt);
  return {
    input: (question) =>
      run((context) =>
        input(
          {
            message: toSafeText(question.message),
            validate: toValidator(question),
            transformer: (answer) => toSafeText(answer),
            theme,
          },
          context,
        ),
      ),
    password: (question) =>
      run((context) =>
        password(
          {
            message: toSafeText(question.message),
            validate: toValidator(question),
            // Shown text would stay in the scrollback of the terminal.
            toggleMask: false,
            theme,
          },
          context,
        ),
      ),
    select: (question) =>
      run((context) =>
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
      run((context) =>
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
      run((context) =>
        confirm({ message: toSafeText(question.message), default: question.default ?? true, theme }, context),
      ),
  };
}

function toValidator({ validate }: { validate: (answer: string) => string | undefined }) {
  return (answer: string) => {
    const problem = validate(answer);
    return problem === undefined || toSafeText(problem);
  };
}

/** Runs a prompt that fails once too many characters were typed or pasted. */
async function runLimited<Answer>(io: PromptIo, prompt: (context: PromptContext) => Promise<Answer>): Promise<Answer> {
  return runPrompt(io, async (context, abort) => {
    let typed = 0;
    const onData = (chunk: Uint8Array | string) => {
      typed += chunk.length;
      if (typed > maxAnswerLength) abort(inputTooLong());
    };
    io.stdin.on('data', onData);
    try {
      return await prompt(context);
    } finally {
      io.stdin.off('data', onData);
    }
  });
}

const identity = (text: string) => text;

/** Theme without color. Not every version of Node.js applies `NO_COLOR` to the default theme. */
const plainTheme = {
  prefix: { idle: '?', done: '✔' },
  style: {
    answer: identity,
    message: identity,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `(${text})`,
    help: identity,
    highlight: identity,
    key: (text: string) => `<${text}>`,
    disabled: identity,
    description: identity,
    keysHelpTip: (keys: readonly (readonly [string, string])[]) =>
      keys.map(([key, action]) => `${key} ${action}`).join(' • '),
  },
};
