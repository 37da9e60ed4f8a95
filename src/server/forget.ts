import type { Readable } from 'node:stream';

/**
 * Reads what still comes after an answer and forgets it, to its end or for half a second, then calls back:
 * to end the connection at once would reset it, and take the answer from a client that is still sending.
 */
export function drainThenClose(rest: Readable, then: () => void): void {
  const impatience = setTimeout(then, lingering);
  rest.on('close', () => {
    clearTimeout(impatience);
    then();
  });
  rest.resume();
}

const lingering = 500;
