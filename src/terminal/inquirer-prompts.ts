import { emitKeypressEvents, type Interface, type Key } from 'node:readline';
import { confirm, input, password, select } from '@inquirer/prompts';
import { canceledError } from '../failure.js';
import { toSafeText } from '../format/safe-text.js';
import { PromptEscape } from './ask-in-order.js';
import type { Style } from './output.js';
import { type FreeTextQuestion, keypressOptions, type PromptIo, type Prompts } from './prompts.js';

type PromptContext = NonNullable<Parameters<typeof input>[1]>;

/** Returns prompts by @inquirer/prompts, which redraw with every key. */
export function openInquirerPrompts({ style, ...io }: PromptIo & { readonly style: Style }): Prompts {
  const theme = createTheme(style);
  const ask = <Answer>(prompt: (context: PromptContext) => Promise<Answer>) => askOnTerminal(io, prompt);
  const toValidator = (validate: FreeTextQuestion['validate']) => (answer: string) => validate(answer) ?? true;
  return {
    input: ({ message, default: initial, validate }) => {
      const prefill = initial === undefined ? {} : ({ default: initial, prefill: 'editable' } as const);
      const config = { message, theme, validate: toValidator(validate), transformer: toSafeText, ...prefill };
      return ask((context) => input(config, context));
    },
    password: ({ message, validate }) => {
      const config = { message, theme, validate: toValidator(validate), toggleMask: false };
      return ask((context) => password(config, context));
    },
    select: ({ message, choices, default: initial }) => {
      const safeChoices = choices.map(({ name, value }) => ({ name: toSafeText(name), value }));
      const config = { message, theme, choices: safeChoices, ...(initial !== undefined && { default: initial }) };
      return ask((context) => select(config, context));
    },
    confirm: ({ message, default: initial = true }) =>
      ask((context) => confirm({ message, theme, default: initial }, context)),
  };
}

/**
 * Runs a prompt. Throws a failure (canceled) on Ctrl-C, on Ctrl-D in an empty line, on a signal and at the end of input,
 * and `PromptEscape` on Esc.
 */
async function askOnTerminal<Answer>(
  { stdin, stderr, signal }: PromptIo,
  prompt: (context: PromptContext) => Promise<Answer>,
): Promise<Answer> {
  emitKeypressEvents(stdin, keypressOptions as unknown as Interface);
  const aborter = new AbortController();
  const ended = AbortSignal.any([signal, aborter.signal]);
  const context = { input: stdin, output: stderr, signal: ended, clearPromptOnDone: false };
  const cancel = () => aborter.abort(canceledError());
  let isSettled = false;
  let lastKey: Key = {};
  const onKey = (_: unknown, key: Key = {}) => {
    lastKey = key;
    // Lists and hidden input have hidden the cursor (DECTCEM). The listener of readline stops the process later.
    if (key.ctrl && key.name === 'z') stderr.write('\u001b[?25h');
    if (key.name !== 'escape') return;
    context.clearPromptOnDone = true;
    aborter.abort(new PromptEscape());
  };
  // Readline pauses its input when Ctrl-D closes it, and after Ctrl-Z and `fg`. A prompt would then never settle.
  const onPause = () => {
    if (lastKey.ctrl && lastKey.name === 'd') cancel();
    else setImmediate(() => isSettled || stdin.resume());
  };
  // If the terminal is closed, reads and changes of its modes fail. Readline would throw the error.
  const { emit } = stdin;
  stdin.emit = (name: string, ...values: unknown[]) => {
    if (name !== 'error') return Reflect.apply(emit, stdin, [name, ...values]);
    cancel();
    return true;
  };
  stdin.on('keypress', onKey).on('pause', onPause).on('end', cancel).on('close', cancel);
  try {
    return await prompt(context);
  } catch (error) {
    ended.throwIfAborted();
    throw (error as Error).name === 'ExitPromptError' ? canceledError() : error;
  } finally {
    isSettled = true;
    stdin.emit = emit;
    stdin.off('keypress', onKey).off('pause', onPause).off('end', cancel).off('close', cancel);
    // A stream that is still read keeps the process alive.
    stdin.pause();
  }
}

/** Returns a theme without the colors of the default theme, such as cyan: see `createStyle`. */
function createTheme({ heading, dim, selected, success, error }: Style) {
  return {
    prefix: { idle: heading('?'), done: success('✓') },
    // chalk would print further arguments.
    style: {
      answer: (text: string) => text,
      message: (text: string) => heading(toSafeText(text)),
      help: dim,
      maskedText: '[input is hidden]',
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
