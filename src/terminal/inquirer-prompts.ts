import { emitKeypressEvents, type Interface } from 'node:readline';
import { confirm, input, password, select } from '@inquirer/prompts';
import { canceledError } from '../failure.js';
import { toSafeText } from '../format/safe-text.js';
import { PromptEscape } from './ask-in-order.js';
import { dropInput } from './drop-input.js';
import type { Style } from './output.js';
import { keypressOptions, type PromptIo, type Prompts } from './prompts.js';

type PromptContext = NonNullable<Parameters<typeof input>[1]>;

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** Returns prompts by @inquirer/prompts, which redraw with every key. */
export function openInquirerPrompts({ style, ...io }: PromptIo & { readonly style: Style }): Prompts {
  const theme = createTheme(style);
  const ask = <Answer>(prompt: (context: PromptContext) => Promise<Answer>) => askOnTerminal(io, prompt);
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
    password: ({ message, validate }) => {
      const config = { message, validate: (answer: string) => validate(answer) ?? true, toggleMask: false, theme };
      return ask((context) => password(config, context));
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

/**
 * Runs a prompt. Throws a failure (canceled) on Ctrl-C, on Ctrl-D in an empty line, on a signal and at the end of input,
 * and `PromptEscape` on Esc.
 */
async function askOnTerminal<Answer>(
  { stdin, stderr, signal, openJobControl }: PromptIo,
  prompt: (context: PromptContext) => Promise<Answer>,
): Promise<Answer> {
  // A stream that has ended emits no `end`.
  if (!stdin.readable) throw canceledError();
  (await openJobControl()).stopInBackground();
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
