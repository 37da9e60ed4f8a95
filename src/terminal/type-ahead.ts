import { setImmediate as waitForImmediate } from 'node:timers/promises';
import { ignoreKey, insertsControlCharacter, type ReadlineKey } from './readline-key.js';
import type { PromptIo } from './run-prompt.js';

/** Keys that were typed before a prompt could handle them. */
export interface TypeAhead {
  /** Holds keys until `release`. Call this before other listeners are added. Returns a function that stops listening. */
  readonly listen: () => () => void;
  readonly hasKeys: () => boolean;
  /** Sends the held keys to the prompt, until one of them is Enter. */
  readonly release: () => void;
  readonly discard: () => void;
}

/**
 * Holds keys while a prompt opens, and those that arrive together with Enter until the prompt has handled it: @inquirer/core
 * drops the first, and its prompts the others. Keys that are left go to the next prompt.
 */
export function createTypeAhead(stdin: NodeJS.ReadStream): TypeAhead {
  const held: { readonly text: unknown; readonly key: ReadlineKey }[] = [];
  let isHolding = false;
  const release = () => {
    isHolding = false;
    while (!isHolding && held.length > 0) {
      const { text, key } = held.shift() as (typeof held)[number];
      stdin.emit('keypress', text, key);
    }
  };
  const listen = () => {
    let isPromptOpen = true;
    let isPasting = false;
    const onKey = (text: unknown, key: ReadlineKey = {}) => {
      if (key.ctrl && key.name === 'c') return;
      if (isHolding) {
        held.push({ text, key: { ...key } });
        ignoreKey(key);
        return;
      }
      if (key.name === 'paste-start') isPasting = true;
      if (key.name === 'paste-end') isPasting = false;
      if (!isPasting && insertsControlCharacter(key)) key.ctrl = true;
      if (isPasting || (key.name !== 'return' && key.name !== 'enter')) return;
      isHolding = true;
      // The prompt handles Enter in microtasks.
      setImmediate(() => {
        if (isPromptOpen) release();
      });
    };
    isHolding = true;
    stdin.on('keypress', onKey);
    return () => {
      isPromptOpen = false;
      stdin.off('keypress', onKey);
    };
  };
  return { listen, release, hasKeys: () => held.length > 0, discard: () => void held.splice(0) };
}

/** Drops text that was typed before now on a terminal. Returns whether there was any. */
export async function dropInput({
  stdin,
  openJobControl,
}: Pick<PromptIo, 'stdin' | 'openJobControl'>): Promise<boolean> {
  if (!stdin.isTTY) return false;
  // Otherwise, raw mode would stop this process, and later restore the modes of the shell.
  await (await openJobControl()).stopInBackground();
  let chunks = 0;
  let lastChunks = 0;
  const drop = () => {
    chunks += 1;
  };
  // Without Enter, the terminal delivers keys in raw mode only.
  stdin.setRawMode(true).on('data', drop).resume();
  do {
    lastChunks = chunks;
    // Node.js polls for input between the two.
    await waitForImmediate();
    await waitForImmediate();
  } while (chunks > lastChunks);
  stdin.off('data', drop).pause();
  stdin.setRawMode(false);
  return chunks > 0;
}
