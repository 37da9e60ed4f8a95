import { styleText } from 'node:util';
import type { Ask, Question } from '../ports/ask.js';
import { Failure, usage } from '../ports/failure.js';
import { safe } from '../text/safe.js';

export interface AskOptions {
  readonly possible: boolean;
  /** `--yes` was given. */
  readonly yes: boolean;
  readonly color: boolean;
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  /** Makes signals abort `signal` until what it returns is called. */
  readonly hold: () => () => void;
}

/** Questions by @inquirer/prompts, which is loaded with the first one. */
export function openAsk(options: AskOptions): Ask {
  const { possible, yes } = options;
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

function validating({ problemWith }: { problemWith: (answer: string) => string | undefined }) {
  return (answer: string) => {
    const problem = problemWith(answer);
    return problem === undefined || safe(problem);
  };
}

type Prompts = typeof import('@inquirer/prompts');
interface PromptContext {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Asks, and puts an answer that is refused into a failure: Ctrl-C, Ctrl-D, a closed terminal, a signal. */
async function answered<Answer>(
  { stdin, stderr, signal, hold }: AskOptions,
  prompt: (prompts: Prompts, context: PromptContext) => Promise<Answer>,
): Promise<Answer> {
  const prompts = await import('@inquirer/prompts');
  const ended = new AbortController();
  const release = hold();
  const end = () => ended.abort(endOfInput());
  // Without this the end of input leaves the question open and the process without anything to do.
  const onKey = (_: unknown, key?: { name?: string; ctrl?: boolean }) => {
    if (key?.ctrl && key.name === 'd') end();
  };
  let typed = 0;
  const onData = (chunk: Uint8Array | string) => {
    typed += chunk.length;
    if (typed > longestAnswer) ended.abort(tooLong());
  };
  stdin.on('end', end).on('close', end).on('keypress', onKey).on('data', onData);
  try {
    return await prompt(prompts, {
      input: stdin,
      output: stderr,
      signal: AbortSignal.any([signal, ended.signal]),
    });
  } catch (error) {
    if (ended.signal.aborted) throw ended.signal.reason;
    if (signal.aborted) throw signal.reason;
    if ((error as Error).name === 'ExitPromptError') throw cancelled();
    throw error;
  } finally {
    stdin.off('end', end).off('close', end).off('keypress', onKey).off('data', onData);
    // A terminal that is still read would keep the process alive.
    stdin.pause();
    release();
  }
}

/** A question is drawn anew with every key, which a pasted file would make last for minutes. */
const longestAnswer = 2_048;

function tooLong(): Failure {
  return usage('input_too_long', `more than ${longestAnswer} characters were typed or pasted`);
}

function cancelled(): Failure {
  return new Failure('cancelled', {
    code: 'cancelled',
    message: 'cancelled',
    signal: 'SIGINT',
  });
}

function endOfInput(): Failure {
  return new Failure('usage', {
    code: 'end_of_input',
    message: 'the input ended before the question was answered',
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
