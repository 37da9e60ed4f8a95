import { confirm, input, select } from '@inquirer/prompts';
import { toSafeText } from '../format/safe-text.js';
import { PromptEscape } from './ask-in-order.js';
import { dropInput } from './drop-input.js';
import type { Style } from './output.js';
import { type PromptIo, type Prompts, runPrompt } from './run-prompt.js';

interface PromptContext {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  clearPromptOnDone: boolean;
}

/** Returns prompts by @inquirer/prompts, which redraw with every key. */
export function openInquirerPrompts({ style, ...io }: PromptIo & { readonly style: Style }): Prompts {
  const { stdin, stderr } = io;
  const theme = createTheme(style);
  const ask = <Answer>(prompt: (context: PromptContext) => Promise<Answer>) =>
    runPrompt(io, async (signal, abort) => {
      const context = { input: stdin, output: stderr, signal, clearPromptOnDone: false };
      const onKey = (_: unknown, key?: { readonly name?: string }) => {
        if (key?.name !== 'escape') return;
        context.clearPromptOnDone = true;
        abort(new PromptEscape());
      };
      stdin.on('keypress', onKey);
      try {
        return await prompt(context);
      } finally {
        stdin.off('keypress', onKey);
      }
    });
  return {
    input: ({ message, default: initial, ...question }) => {
      const config = {
        message,
        validate: (answer: string) => question.validate(answer) ?? true,
        transformer: (answer: string) => toSafeText(answer),
        theme,
        ...(initial !== undefined && { default: initial, prefill: 'editable' as const }),
      };
      return ask((context) => input(config, context));
    },
    // The password prompt of @inquirer/prompts keeps an invalid answer, although the user cannot see the text to edit.
    password: ({ message, validate }) => {
      const config = {
        message,
        validate: (answer: string) => validate(answer) ?? true,
        transformer: (_: string, { isFinal }: { readonly isFinal: boolean }) =>
          isFinal ? '' : style.dim('[input is hidden]') + hideCursor,
        theme: { ...theme, validationFailureMode: 'clear' as const },
      };
      return ask((context) => input(config, context));
    },
    select: ({ message, choices, default: initial }) => {
      const config = {
        message,
        choices: choices.map(({ name, value }) => ({ name: toSafeText(name), value })),
        theme,
        ...(initial !== undefined && { default: initial }),
      };
      return ask((context) => select(config, context));
    },
    confirm: async ({ message, default: initial = true }) => {
      await dropInput(io);
      return ask((context) => confirm({ message, default: initial, theme }, context));
    },
  };
}

/** Hides the length of the input; the end of the prompt shows the cursor again (DECTCEM). */
const hideCursor = '\u001b[?25l';

/** Returns a theme without the colors of the default theme, such as cyan: see `createStyle`. */
function createTheme({ heading, dim, selected, success, error }: Style) {
  return {
    prefix: { idle: heading('?'), done: success('✓') },
    // chalk would print further arguments.
    style: {
      answer: (text: string) => text,
      message: (text: string) => heading(toSafeText(text)),
      error: (text: string) => error(`> ${toSafeText(text)}`),
      defaultAnswer: (text: string) => dim(`(${text})`),
      highlight: (text: string) => selected(text),
      keysHelpTip: (tips: readonly (readonly [key: string, action: string])[]) =>
        [...tips, ['esc', 'back']]
          .map(([key, action]) => `${heading(key ?? '')} ${dim(action ?? '')}`)
          .join(dim(' • ')),
    },
  };
}
