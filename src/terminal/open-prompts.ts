import type { Style } from './output.js';
import type { PromptIo, Prompts } from './run-prompt.js';

export interface PromptsOptions extends PromptIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly style: () => Promise<Style>;
  /** Screen-reader mode: numbered choices, one line at a time. */
  readonly accessible: boolean;
}

export interface PromptsWithHiddenTyping extends Prompts {
  /** Turns echo on again. Until this call, the process does not end. */
  showTyping(): void;
}

/** Loads the prompts of the mode. `hidesTyping` returns whether a password prompt hides later typing, too. */
export async function openPrompts(
  options: PromptsOptions,
  hidesTyping: () => boolean,
): Promise<PromptsWithHiddenTyping> {
  return hideTypingAfterPassword(await loadPrompts(options), options, hidesTyping);
}

async function loadPrompts(options: PromptsOptions): Promise<Prompts> {
  if (options.accessible) return (await import('./numbered-prompts.js')).openNumberedPrompts(options);
  const [{ openInquirerPrompts }, style] = await Promise.all([import('./inquirer-prompts.js'), options.style()]);
  return openInquirerPrompts({ ...options, style });
}

/**
 * Returns prompts that turn echo off and drop text that is typed between them, from the first password prompt until
 * `showTyping`. Ctrl-C and Ctrl-Z still work.
 */
async function hideTypingAfterPassword(
  prompts: Prompts,
  io: PromptIo,
  hidesTyping: () => boolean,
): Promise<PromptsWithHiddenTyping> {
  const { stdin } = io;
  const jobControl = await io.openJobControl();
  let isHidden = false;
  let release = () => {};
  // Reading and changes of the mode fail if the terminal is closed.
  stdin.on('error', () => {});
  const onData = (typed: Uint8Array) => jobControl.sendSignals(String(typed));
  const turnEchoOn = () => {
    // In the background, a change of the modes would stop this process.
    if (stdin.isRaw) stdin.setRawMode(false);
  };
  const turnEchoOff = () => {
    // The shell may have reset the terminal. Node.js skips setting a mode that it believes is set.
    turnEchoOn();
    stdin.setRawMode(true).resume();
  };
  const suspend = () => {
    stdin.pause();
    turnEchoOn();
  };
  const dropTyping = () => {
    if (!isHidden || io.signal.aborted || !stdin.readable) return;
    const restoreSignals = io.deferSignals(turnEchoOn);
    const removeView = jobControl.add({ suspend, resume: turnEchoOff });
    stdin.on('data', onData);
    turnEchoOff();
    release = () => {
      stdin.off('data', onData).pause();
      removeView();
      restoreSignals();
      release = () => {};
    };
  };
  const ask = <Answer>(prompt: () => Promise<Answer>) => {
    // Echo stays off until the prompt sets the mode that it needs.
    release();
    return prompt().finally(dropTyping);
  };
  return {
    input: (question) => ask(() => prompts.input(question)),
    password: (question) => {
      isHidden = stdin.isTTY && hidesTyping();
      return ask(() => prompts.password(question));
    },
    select: (question) => ask(() => prompts.select(question)),
    confirm: (question) => ask(() => prompts.confirm(question)),
    showTyping: () => {
      isHidden = false;
      release();
      turnEchoOn();
    },
  };
}
