import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { PromptEscape } from '../../src/terminal/ask-in-order.js';
import type { Prompter } from '../../src/terminal/prompter.js';
import { failureOf } from '../support/test-client.js';
import { createTestPrompter } from '../support/test-terminal.js';

/** Runs prompts on a terminal made of streams, and types these lines. */
async function put<Answer>(question: (ask: Prompter) => Promise<Answer>, lines: string, columns?: number) {
  const stdin = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { columns });
  let said = '';
  stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ask = createTestPrompter({
    accessible: true,
    stdin: stdin as never,
    stderr: stderr as never,
  });
  const asking = question(ask);
  asking.catch(() => {});
  await vi.waitFor(() => expect(said).not.toBe(''));
  // A terminal sends one line at a time.
  for (const line of lines.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
    stdin.write(line);
  }
  const end = () => void stdin.end();
  return { asking, said: () => said, stdin, end };
}

const named = { message: 'Name:', missingInput: { message: 'it is missing', missing: [{ syntax: '--name <name>' }] } };
const required = (answer: string) => (answer === '' ? 'the name must not be blank' : undefined);
const numbers = {
  ...named,
  message: 'Which?',
  choices: [
    { name: 'first', value: 1 },
    { name: 'sec\u001b[2Jond', value: 2 },
    { name: 'third', value: 3 },
  ],
};

test('input repeats until the answer is valid', async () => {
  const { asking, said } = await put((ask) => ask.input({ ...named, validate: required }), '\nRex\n');
  expect(await asking).toBe('Rex');
  expect(said()).toBe('Name:\nInvalid answer: the name must not be blank\n');
});

test('password does not echo the answer', async () => {
  const { asking, said } = await put((ask) => ask.password({ ...named, validate: required }), 'pets_x\n');
  expect(await asking).toBe('pets_x');
  expect(said()).toBe('Name: (input is hidden)\n\n');
});

describe('select accepts a number or a name', () => {
  test.each([
    ['2\n', undefined, 2],
    ['\n', undefined, 1],
    ['\n', 3, 3],
    ['third\n', undefined, 3],
    ['0\n4\nx\n3\n', undefined, 3],
  ])('%j', async (lines, usual, value) => {
    const question = { ...numbers, ...(usual !== undefined && { default: usual }) };
    const { asking, said } = await put((ask) => ask.select(question), lines);
    expect(await asking).toBe(value);
    expect(said()).toContain(
      '1) first\n2) sec\\u001b[2Jond\n3) third\nEnter a number from 1 to 3, or a name (default: ',
    );
    expect(said().match(/Invalid answer/g)?.length ?? 0).toBe(lines.split('\n').length - 2);
  });
});

test('questions, choices and errors wrap at words', async () => {
  const question = { ...numbers, message: 'Which of these', choices: [{ name: 'a name of two words', value: 1 }] };
  const { asking, said } = await put((ask) => ask.select(question), 'x\n1\n', 20);
  expect(await asking).toBe(1);
  expect(said().split('\n')).toEqual([
    'Which of these',
    '1) a name of two',
    'words',
    'Enter a number from',
    '1 to 1, or a name',
    '(default: 1):',
    'Invalid answer:',
    'enter a number from',
    '1 to 1, or a name',
    '',
  ]);
});

test.each([
  ['\n', undefined, true],
  ['\n', false, false],
  ['no\n', undefined, false],
  ['perhaps\nYES\n', false, true],
])('confirm with the lines %j and the default %s returns %s', async (lines, usual, answer) => {
  const question = { ...named, ...(usual !== undefined && { default: usual }) };
  const { asking, stdin } = await put((ask) => ask.confirm(question), '');
  for (const line of lines.trimEnd().split('\n')) {
    // Longer than a confirmation drops lines.
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
    stdin.write(`${line}\n`);
  }
  expect(await asking).toBe(answer);
});

test('Ctrl-C cancels a password prompt', async () => {
  const { asking } = await put((ask) => ask.password({ ...named, validate: required }), '\u0003');
  await expect(asking).rejects.toMatchObject({ kind: 'canceled', message: 'canceled' });
});

test('Ctrl-D cancels a password prompt only if its line is empty', async () => {
  const typed = await put((ask) => ask.password({ ...named, validate: required }), 'pets_x\u0004\n');
  expect(await typed.asking).toBe('pets_x');
  const empty = await put((ask) => ask.password({ ...named, validate: required }), '\u0004');
  await expect(empty.asking).rejects.toMatchObject({ kind: 'canceled', message: 'canceled' });
});

test('Esc, then Enter leaves a password prompt', async () => {
  const { asking, stdin } = await put((ask) => ask.password({ ...named, validate: required }), '\u001b');
  await pressed(stdin, 'escape');
  stdin.write('\r');
  await expect(asking).rejects.toBeInstanceOf(PromptEscape);
});

test('Esc alone does not leave a password prompt', async () => {
  const { asking, stdin } = await put((ask) => ask.password({ ...named, validate: required }), 'pets_\u001b');
  await pressed(stdin, 'escape');
  stdin.write('x\n');
  expect(await asking).toBe('pets_x');
});

/** Resolves once readline has seen a key: it waits for the rest of an escape sequence. */
async function pressed(stdin: PassThrough, key: string): Promise<void> {
  await vi.waitFor(() => expect(stdin.listenerCount('keypress')).toBeGreaterThan(0));
  await new Promise<void>((resolve) => {
    stdin.on('keypress', (_, { name }) => {
      if (name === key) resolve();
    });
  });
}

test('the end of input cancels a prompt', async () => {
  const { asking, end } = await put((ask) => ask.input({ ...named, validate: required }), '');
  const failed = failureOf(asking);
  end();
  expect(await failed).toMatchObject({ kind: 'canceled', message: 'canceled' });
});
