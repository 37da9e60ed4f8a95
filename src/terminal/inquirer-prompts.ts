import { styleText } from 'node:util';
import { confirm, input, Separator, search, select } from '@inquirer/prompts';
import { wrapText } from '../format/definition-list.js';
import { toSafeText } from '../format/safe-text.js';
import { PromptEscape } from './ask-in-order.js';
import {
  type Choice,
  findChoices,
  inputTooLong,
  maxAnswerLength,
  type PromptContext,
  type PromptIo,
  type Prompts,
  type Question,
  runPrompt,
  type SearchQuestion,
} from './run-prompt.js';

/** Returns prompts by @inquirer/prompts, which redraw with every key. */
export function openInquirerPrompts(options: PromptIo & { readonly hasColor: boolean }): Prompts {
  const format = options.hasColor ? styleText : identityFormat;
  const theme: { readonly style?: object } = options.hasColor ? {} : plainTheme;
  const columns = () => options.stderr.columns || 80;
  // The prompts would break lines inside words. The first line starts with a mark.
  const wrap = (text: string, reserved = 2) => wrapText(toSafeText(text), '', columns() - reserved).trimEnd();
  const toValidator =
    ({ validate }: { validate: (answer: string) => string | undefined }) =>
    (answer: string) => {
      const problem = validate(answer);
      return problem === undefined || wrap(problem);
    };
  // Typed text may be pasted from an untrusted source.
  const searchTerm = (text: string) => format('cyan', toSafeText(text));
  const listTheme = ({ canGoBack = false }: Question, firstTips: readonly KeyTip[] = []) => {
    const keysHelpTip = (tips: readonly KeyTip[]) =>
      splitTips([...firstTips, ...tips, ['esc', canGoBack ? 'go back' : 'cancel']], columns())
        .map((line) =>
          line.map(([key, action]) => `${format('bold', key)} ${format('dim', action)}`).join(format('dim', ' • ')),
        )
        .join('\n');
    return { ...theme, style: { ...theme.style, searchTerm, keysHelpTip } };
  };
  return {
    input: (question) =>
      runLimited(options, question, (context) =>
        input(
          {
            message: wrap(question.message),
            validate: toValidator(question),
            transformer: (answer) => toSafeText(answer),
            ...(question.default !== undefined && { default: question.default, prefill: 'editable' }),
            theme,
          },
          context,
        ),
      ),
    // The password prompt of @inquirer/prompts keeps an invalid answer, although the user cannot see the text to edit.
    password: (question) =>
      runLimited(options, question, (context) =>
        input(
          {
            message: wrap(question.message),
            validate: toValidator(question),
            transformer: (_, { isFinal }) => (isFinal ? '' : format('dim', '[input is hidden]') + hideCursor),
            theme: { ...theme, validationFailureMode: 'clear' },
          },
          context,
        ),
      ),
    select: (question) =>
      runLimited(options, question, (context) =>
        select(
          {
            message: wrap(question.message),
            choices: question.choices.map(({ name, value }) => ({ name: toSafeText(name), value })),
            ...(question.default !== undefined && { default: question.default }),
            theme: listTheme(question),
          },
          context,
        ),
      ),
    search: <Value>(question: SearchQuestion<Value>) =>
      runLimited(options, question, (context) =>
        search<Value>(
          {
            message: wrap(question.message),
            source: (term = '', { signal }) => {
              const show = (found: readonly Choice<Value>[]) => {
                const choices = found.map(({ name, value }) => ({ name: toSafeText(name), value }));
                const summary = question.describeSearch && new Separator(toSafeText(question.describeSearch()));
                return summary && term !== '' ? [...choices, summary] : choices;
              };
              const found = findChoices(question, term, () => signal.aborted);
              return found instanceof Promise ? found.then(show) : show(found);
            },
            theme: listTheme(question, [['type', 'to filter']]),
          },
          context,
        ),
      ),
    confirm: (question) =>
      runLimited(options, question, (context) =>
        confirm(
          { message: wrap(question.message, '? (Y/n) yes'.length), default: question.default ?? true, theme },
          context,
        ),
      ),
  };
}

type KeyTip = readonly [key: string, action: string];

/** Splits tips into lines that fit into the terminal. */
function splitTips(tips: readonly KeyTip[], columns: number): readonly (readonly KeyTip[])[] {
  const lines: KeyTip[][] = [];
  let left = 0;
  for (const tip of tips) {
    const width = `${tip.join(' ')} • `.length;
    if (left < width) {
      lines.push([]);
      left = columns + ' • '.length;
    }
    lines.at(-1)?.push(tip);
    left -= width;
  }
  return lines;
}

/** Hides the length of the input; the end of the prompt shows the cursor again (DECTCEM). */
const hideCursor = '\u001b[?25l';

/** Runs a prompt that fails on Esc, and once too many characters were typed or pasted. */
async function runLimited<Answer>(
  io: PromptIo,
  { canGoBack = false }: Question,
  prompt: (context: PromptContext) => Promise<Answer>,
): Promise<Answer> {
  return runPrompt(io, async (context, abort) => {
    let typed = 0;
    const onData = (chunk: Uint8Array | string) => {
      typed += chunk.length;
      if (typed > maxAnswerLength) abort(inputTooLong());
    };
    const onKey = (_: unknown, key?: { readonly name?: string }) => {
      if (key?.name !== 'escape') return;
      context.clearPromptOnDone = canGoBack;
      abort(new PromptEscape());
    };
    io.stdin.on('data', onData).on('keypress', onKey);
    try {
      return await prompt(context);
    } finally {
      io.stdin.off('data', onData).off('keypress', onKey);
    }
  });
}

const identity = (text: string) => text;
const identityFormat = (_: string, text: string) => text;

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
  },
};
