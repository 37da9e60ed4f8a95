import { setImmediate } from 'node:timers/promises';
import type { PromptIo } from './prompts.js';

/** Drops text that was typed before now on a terminal: it must not answer a confirmation. */
export async function dropInput({ stdin, openJobControl }: Pick<PromptIo, 'stdin' | 'openJobControl'>): Promise<void> {
  if (!stdin.isTTY) return;
  (await openJobControl()).stopInBackground();
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
    await setImmediate();
    await setImmediate();
  } while (chunks > lastChunks);
  stdin.off('data', drop).pause();
  stdin.setRawMode(false);
}
