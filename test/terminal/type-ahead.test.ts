import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ReadlineKey } from '../../src/terminal/readline-key.js';
import { createTypeAhead } from '../../src/terminal/type-ahead.js';

/** Returns a type-ahead, and what its prompt has received: characters, and the names of other keys. */
function openTypeAhead() {
  const stdin = new EventEmitter();
  const typeAhead = createTypeAhead(stdin as NodeJS.ReadStream);
  const received: string[] = [];
  const open = () => {
    const stop = typeAhead.listen();
    const onKey = (_: unknown, { name, sequence = '' }: ReadlineKey) => void received.push(name ?? sequence);
    stdin.on('keypress', onKey);
    return () => {
      stdin.off('keypress', onKey);
      stop();
    };
  };
  const press = (...names: string[]) => {
    for (const name of names) stdin.emit('keypress', name, { name, sequence: name });
  };
  const take = () => received.splice(0).join('');
  return { typeAhead, open, press, take, stdin };
}

test('a prompt gets the keys that were typed while it opened', () => {
  const { typeAhead, open, press, take } = openTypeAhead();
  open();
  press('a', 'b');
  expect(take()).toBe('');
  expect(typeAhead.hasKeys()).toBe(true);
  typeAhead.release();
  expect(take()).toBe('ab');
  press('c');
  expect(take()).toBe('c');
});

test('a prompt gets the keys after Enter once it has handled Enter', async () => {
  const { typeAhead, open, press, take } = openTypeAhead();
  open();
  press('a', 'return', 'b', 'return', 'c');
  typeAhead.release();
  expect(take()).toBe('areturn');
  await setImmediate();
  expect(take()).toBe('breturn');
  await setImmediate();
  expect(take()).toBe('c');
});

test('the next prompt gets the keys after the Enter that closed the previous one', async () => {
  const { typeAhead, open, press, take } = openTypeAhead();
  const close = open();
  typeAhead.release();
  press('a', 'enter', 'b');
  expect(take()).toBe('aenter');
  close();
  open();
  await setImmediate();
  expect(take()).toBe('');
  typeAhead.release();
  expect(take()).toBe('b');
});

test('discarded keys reach no prompt', () => {
  const { typeAhead, open, press, take } = openTypeAhead();
  open();
  press('y', 'return');
  typeAhead.discard();
  typeAhead.release();
  press('n');
  expect(take()).toBe('n');
});

test('Ctrl-C is never held', () => {
  const { open, take, stdin } = openTypeAhead();
  open();
  stdin.emit('keypress', '\u0003', { name: 'c', ctrl: true });
  expect(take()).toBe('c');
});

test('Enter in pasted text holds nothing', () => {
  const { typeAhead, open, press, take } = openTypeAhead();
  open();
  typeAhead.release();
  press('paste-start', 'a', 'return', 'b', 'paste-end', 'c');
  expect(take()).toBe('paste-startareturnbpaste-endc');
});
