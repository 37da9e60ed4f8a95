import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { joinPastedLines } from '../../src/terminal/paste.js';

test('joins unmarked lines, but not those that were typed before the prompt opened', async () => {
  const stdin = new EventEmitter();
  const pasted: string[] = [];
  const stop = joinPastedLines(stdin as NodeJS.ReadStream);
  stdin.on('keypress', (_, { name, sequence }) => {
    if (name === 'paste') pasted.push(sequence);
  });
  const type = async () => {
    stdin.emit('data', 'Rex\r5\r');
    for (const sequence of 'Rex\r5\r') stdin.emit('keypress', sequence, { sequence });
    await setImmediate();
    await setImmediate();
  };
  await type();
  expect(pasted).toEqual([]);
  await type();
  expect(pasted).toEqual(['Rex 5']);
  stop();
});
