import { type KeypressEvent, useEffect, useKeypress } from '@inquirer/core';
import { confirm, input, select } from '@inquirer/prompts';
import { canceledError } from '../failure.js';
import { toSafeText } from '../format/safe-text.js';
import { PromptEscape } from './ask-in-order.js';
import type { Style } from './output.js';
import { markPaste, unmarkPaste } from './paste.js';
import { handleKeysFirst, limitAnswer, useCursorRows, useKeysWithoutText, useTypeAhead } from './prompt-keys.js';
import { useRedraw } from './prompt-redraw.js';
import { createPromptTheme, getPageSize, type PromptTheme } from './prompt-theme.js';
import { countRows, eraseBelow, recordDrawing } from './record-drawing.js';
import {
  answerTooLong,
  type FreeTextQuestion,
  type PromptIo,
  type Prompts,
  type Question,
  runPrompt,
} from './run-prompt.js';
import { createTypeAhead, dropInput } from './type-ahead.js';

interface InquirerOptions extends PromptIo {
  readonly style: Style;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns prompts by @inquirer/prompts, which redraw with every key. */
export function openInquirerPrompts(options: InquirerOptions): Prompts {
  const { stderr, style } = options;
  const ask = openQuestions(options);
  const askText = (
    question: Omit<FreeTextQuestion, 'default'>,
    config: (theme: PromptTheme) => Partial<Parameters<typeof input>[0]>,
    changeTheme: (theme: PromptTheme) => object = () => ({}),
  ) =>
    ask(question, ({ theme, context }) => {
      const { message } = question;
      let isTooLong = false;
      let isAccepted = false;
      // The prompt shows errors of validation only: Enter puts the last answer back, with the error beside it.
      const refuse = (key: KeypressEvent) => {
        isTooLong = true;
        key.name = 'return';
      };
      const validate = (answer: string) => {
        const problem = isTooLong ? answerTooLong : question.validate(answer);
        isTooLong = false;
        isAccepted = problem === undefined;
        return problem ?? true;
      };
      // A prompt keeps the error of an earlier answer below one that is accepted.
      const errorStyle = { ...theme.style, error: (text: string) => (isAccepted ? '' : theme.style.error(text)) };
      const limited = limitAnswer({ ...theme, style: errorStyle, ...changeTheme(theme) }, refuse);
      return input({ message, validate, ...config(theme), theme: limited }, context);
    });
  return {
    input: (question) =>
      askText(question, (theme) => ({
        transformer: (answer, { isFinal }) => (isFinal ? theme.style.answer(toSafeText(answer)) : toSafeText(answer)),
        ...(question.default !== undefined && { default: question.default, prefill: 'editable' }),
      })),
    // The password prompt of @inquirer/prompts keeps an invalid answer, although the user cannot see the text to edit.
    password: (question) =>
      askText(
        question,
        () => ({ transformer: (_, { isFinal }) => (isFinal ? '' : style.dim('[input is hidden]') + hideCursor) }),
        // Only the service can accept a secret: until then, the mark of success would be wrong.
        (theme) => ({ prefix: theme.prefix.idle, validationFailureMode: 'clear' }),
      ),
    select: (question) =>
      ask(
        question,
        ({ theme, context, leave }) => {
          const { message, default: initial } = question;
          const config = {
            message,
            choices: question.choices.map(({ name, value }) => ({ name: toSafeText(name), value })),
            get pageSize() {
              return getPageSize(stderr);
            },
            theme: handleKeysFirst(theme, () => useKeysWithoutText(theme, leave)),
          };
          return select(initial === undefined ? config : Object.assign(config, { default: initial }), context);
        },
        { isList: true },
      ),
    confirm: (question) =>
      ask(
        question,
        ({ theme, context }) => {
          const { message, default: initial = true } = question;
          const prefix = { ...theme.prefix };
          const transformer = (isConfirmed: boolean) => {
            // The mark of success would contradict the answer.
            if (!isConfirmed) prefix.done = prefix.idle;
            return isConfirmed ? 'Yes' : 'No';
          };
          const keywords = { error: () => 'answer y or n' };
          const limited = limitAnswer({ ...theme, prefix, keywords });
          return confirm({ message, default: initial, transformer, theme: limited }, context);
        },
        { margin: '? (Y/n) yes'.length, isConfirmation: true },
      ),
  };
}

/** Hides the length of the input; the end of the prompt shows the cursor again (DECTCEM). */
const hideCursor = '\u001b[?25l';

interface PromptOptions {
  readonly theme: PromptTheme;
  readonly context: { readonly input: NodeJS.ReadStream; readonly output: NodeJS.WriteStream };
  readonly leave: () => void;
}

interface QuestionOptions {
  readonly isList?: boolean;
  readonly margin?: number;
  /** Only keys that are typed after the question is shown may answer it. */
  readonly isConfirmation?: boolean;
}

/** Returns a function that asks a question. Esc erases the answer that it goes back to, and cancellation erases a list. */
function openQuestions({ style, env, ...io }: InquirerOptions) {
  const { stdin, stderr } = io;
  const typeAhead = createTypeAhead(stdin);
  /** The drawings of the answers that Esc can go back to. They are directly above the question. */
  let answers: (readonly string[])[] = [];
  const loadMeasureWidth = async () =>
    io.screen.isAlternate ? undefined : (await import('../format/display-width.js')).displayWidth;
  return async <Answer>(
    { canGoBack = false, isRepeated = false }: Question,
    prompt: (options: PromptOptions) => Promise<Answer>,
    { isList = false, margin, isConfirmation = false }: QuestionOptions = {},
  ): Promise<Answer> => {
    if (!canGoBack || isRepeated) {
      answers = [];
      typeAhead.discard();
    }
    const jobControl = await io.openJobControl();
    const drawing = recordDrawing(stderr, env.TERM_PROGRAM === 'vscode');
    const context = { input: stdin, output: drawing.stream, clearPromptOnDone: false };
    if (isConfirmation) {
      typeAhead.discard();
      if (await dropInput(io)) stderr.write(eraseBelow(0));
    }
    stderr.write(markPaste);
    const stopListening = typeAhead.listen();
    try {
      const answer = await runPrompt(io, (signal, abort) => {
        const leave = () => {
          // Without a line feed below the list, which could scroll the screen.
          context.clearPromptOnDone = canGoBack || isList;
          abort(new PromptEscape());
        };
        // The prompts of @inquirer/prompts accept no hooks, but they call the theme with each drawing.
        const onDraw = () => {
          useRedraw({
            ...{ stderr, jobControl, drawing, loadMeasureWidth },
            onResume: () => {
              for (const lines of answers) stderr.write(`${lines.join('\n')}\n`);
            },
          });
          useTypeAhead(typeAhead, drawing);
          useCursorRows();
          useKeypress(({ name }) => {
            if (name === 'escape') leave();
          });
          useEffect((readline) => {
            // Readline closes on Ctrl-D if the line is empty.
            const onClose = () => abort(canceledError());
            // Its input fails if the terminal is closed.
            readline.on('error', onClose);
            readline.on('close', onClose);
            return () => readline.removeListener('close', onClose);
          }, []);
        };
        const theme = createPromptTheme({ style, stderr, canGoBack, onDraw, margin });
        return prompt({ theme, context: Object.assign(context, { signal }), leave });
      });
      answers.push(drawing.lines());
      return answer;
    } catch (error) {
      typeAhead.discard();
      const isBack = canGoBack && error instanceof PromptEscape;
      const isShown = isList && !context.clearPromptOnDone;
      const lines = [...(isBack ? (answers.pop() ?? []) : []), ...(isShown ? drawing.lines() : [])];
      if (lines.length > 0) {
        const measureWidth = await loadMeasureWidth();
        stderr.write(eraseBelow(measureWidth ? countRows(lines, stderr.columns || 80, measureWidth) : lines.length));
      }
      throw error;
    } finally {
      stopListening();
      stderr.write(unmarkPaste);
    }
  };
}
