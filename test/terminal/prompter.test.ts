import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { render } from '@inquirer/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { Failure } from '../../src/failure.js';
import { PromptEscape } from '../../src/terminal/ask-in-order.js';
import { createStyle } from '../../src/terminal/output.js';
import type { Prompter } from '../../src/terminal/prompter.js';
import { createTestPrompter } from '../support/test-terminal.js';
import { expectSafe, hostileText } from '../support/text-samples.js';

interface PromptRun {
  readonly signal?: AbortSignal;
  readonly color?: boolean;
}

/** Runs one prompt on a terminal made of streams. */
function runPrompt<Answer>(
  question: (ask: Prompter) => Promise<Answer>,
  { color = false, ...options }: PromptRun = {},
) {
  const prompt = (_: object, context: { input?: unknown; output?: unknown } = {}) => {
    const output = context.output as NodeJS.WriteStream;
    // Like process.stderr, the stream stays open.
    output.end = (() => output) as never;
    return question(
      createTestPrompter({
        ...options,
        style: () => createStyle({ mode: color ? 'always' : 'never', isTerminal: true, env: {} }),
        stdin: context.input as NodeJS.ReadStream,
        stderr: output,
      }),
    );
  };
  return render(prompt as never, {}) as ReturnType<typeof render<Answer, object>>;
}

const name = {
  message: 'Name:',
  missingInput: { message: 'it is missing', missing: [{ syntax: '--this' }] },
  validate: (answer: string) => (answer === '' ? 'must not be blank' : undefined),
};

test('input repeats until the answer is valid', async () => {
  const { answer, events, getScreen, nextRender } = await runPrompt((ask) => ask.input(name));
  expect(getScreen()).toBe('? Name:');
  events.keypress('enter');
  await nextRender();
  expect(getScreen()).toContain('> must not be blank');
  events.type('Rex');
  events.keypress('enter');
  expect(await answer).toBe('Rex');
  expect(getScreen()).toContain('✓ Name: Rex');
});

test.each([false, true])('a prompt after the end of input cancels (accessible: %s)', async (accessible) => {
  const stdin = new PassThrough();
  stdin.end().resume();
  await once(stdin, 'close');
  const options = { accessible, stdin: stdin as unknown as NodeJS.ReadStream };
  await expect(createTestPrompter(options).confirm(name)).rejects.toMatchObject({ kind: 'canceled' });
});

test('password does not echo the answer', async () => {
  const { answer, events, getFullOutput } = await runPrompt((ask) => ask.password(name));
  events.type('pets_secret');
  events.keypress('enter');
  expect(await answer).toBe('pets_secret');
  expect(await getFullOutput()).not.toContain('secret');
});

test('input shows the text to edit', async () => {
  const { answer, events, getScreen } = await runPrompt((ask) => ask.input({ ...name, default: 'Re' }));
  expect(getScreen()).toBe('? Name: Re');
  events.type('x');
  events.keypress('enter');
  expect(await answer).toBe('Rex');
});

test('select starts at the default', async () => {
  const { answer, events, getScreen, nextRender } = await runPrompt((ask) =>
    ask.select({
      message: 'Which?',
      missingInput: { message: 'it is missing', missing: [{ syntax: '--this' }] },
      choices: [
        { name: 'first', value: 1 },
        { name: 'second', value: 2 },
        { name: 'third', value: 3 },
      ],
      default: 2,
    }),
  );
  expect(getScreen()).toMatch(/❯ second/);
  events.keypress('down');
  await nextRender();
  events.keypress('enter');
  expect(await answer).toBe(3);
});

test.each([
  ['y', true],
  ['n', false],
])('confirm answered with %s returns %s', async (key, agreed) => {
  const { answer, events } = await runPrompt((ask) =>
    ask.confirm({ message: 'Sure?', missingInput: { message: 'it is missing', missing: [{ syntax: '--this' }] } }),
  );
  events.type(key);
  events.keypress('enter');
  expect(await answer).toBe(agreed);
});

test('untrusted text is escaped in messages and choices', async () => {
  const { getScreen, answer, events } = await runPrompt((ask) =>
    ask.select({
      message: 'Which \u001b[2J?',
      missingInput: { message: 'it is missing', missing: [{ syntax: '--this' }] },
      choices: [{ name: 'Rex\u202e', value: 1 }],
    }),
  );
  expect(getScreen()).toContain('Which \\u001b[2J?');
  expect(getScreen()).toContain('Rex\\u202e');
  events.keypress('enter');
  await answer;
});

test.each([[true], [false]])('every prompt escapes untrusted text (color: %s)', async (color) => {
  const question = fc.record({
    kind: fc.constantFrom('choose', 'confirm', 'text'),
    texts: fc.tuple(hostileText, hostileText, hostileText),
  });
  await fc.assert(
    fc.asyncProperty(question, async ({ kind, texts: [text, one, other] }) => {
      // Messages start with a word: @inquirer/core would compose a combining mark with the end of a color sequence.
      const asked = {
        message: `Add ${text}`,
        missingInput: { message: 'it is missing', missing: [{ syntax: '--this' }] },
      };
      const choices = [
        { name: one, value: 1 },
        { name: other, value: 2 },
      ];
      const validate = (answer: string) => (answer === '' ? `${one} is wrong` : undefined);
      const questions: Record<string, (ask: Prompter) => Promise<unknown>> = {
        choose: (ask) => ask.select({ ...asked, choices }),
        confirm: (ask) => ask.confirm(asked),
        text: (ask) => ask.input({ ...asked, validate }),
      };
      const { answer, events, getScreen, getFullOutput } = await runPrompt(
        questions[kind] as (ask: Prompter) => Promise<unknown>,
        { color },
      );
      events.keypress('enter');
      if (kind === 'text') {
        await vi.waitFor(() => expect(getScreen()).toContain('is wrong'), { timeout: 30_000 });
        events.type('Rex');
        events.keypress('enter');
      }
      await answer;
      expectOnlyOwnSequences(await getFullOutput({ raw: true }));
    }),
    { numRuns: 60 },
  );
});

test('a prompt without color writes no color sequences', async () => {
  const { getScreen, answer, events } = await runPrompt((ask) =>
    ask.select({
      message: 'Which?',
      missingInput: { message: 'it is missing', missing: [{ syntax: '--this' }] },
      choices: [{ name: 'Rex', value: 1 }],
    }),
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches all sequences for text but reverse video
  expect(getScreen({ raw: true })).not.toMatch(/\u001b\[(?!2?7m)[0-9;]*m/);
  events.keypress('enter');
  await answer;
});

test('Ctrl-C rejects the prompt', async () => {
  const { answer, events } = await runPrompt((ask) => ask.input(name));
  events.keypress({ name: 'c', ctrl: true });
  await expect(answer).rejects.toMatchObject({ kind: 'canceled', message: 'canceled' });
});

test('Esc rejects the prompt', async () => {
  const { answer, events, getScreen } = await runPrompt((ask) =>
    ask.select({ ...name, choices: [{ name: 'first', value: 1 }] }),
  );
  expect(getScreen()).toContain('esc back');
  events.keypress('escape');
  await expect(answer).rejects.toBeInstanceOf(PromptEscape);
});

test('the end of input cancels a prompt', async () => {
  const { answer, input } = await runPrompt((ask) => ask.input(name));
  input.emit('end');
  await expect(answer).rejects.toMatchObject({ kind: 'canceled', message: 'canceled' });
});

test('a signal rejects the prompt with its own failure', async () => {
  const controller = new AbortController();
  const { answer } = await runPrompt((ask) => ask.input(name), { signal: controller.signal });
  const reason = new Failure('canceled', {
    code: 'cancelled',
    message: 'ended',
    signal: 'SIGTERM',
  });
  controller.abort(reason);
  await expect(answer).rejects.toBe(reason);
});

test('a signal before the prompt rejects it too', async () => {
  const reason = new Failure('canceled', { code: 'cancelled', message: 'ended' });
  const { answer } = await runPrompt((ask) => ask.input(name), {
    signal: AbortSignal.abort(reason),
  });
  await expect(answer).rejects.toBe(reason);
});

test('every prompt without a terminal fails with its hint', async () => {
  const ask = createTestPrompter({ isInteractive: false });
  const question = { message: 'Which?', missingInput: { message: 'it is missing', missing: [{ syntax: '--this' }] } };
  for (const prompt of [
    () => ask.input(name),
    () => ask.password(name),
    () => ask.select({ ...question, choices: [] }),
    () => ask.confirm(question),
  ]) {
    await expect(prompt()).rejects.toMatchObject({
      kind: 'usage',
      details: { hint: expect.stringMatching(/^pass --/) },
    });
  }
});

test('--yes confirms without a prompt', async () => {
  const ask = createTestPrompter({ isInteractive: false, assumeYes: true });
  expect(
    await ask.confirm({
      message: 'Sure?',
      missingInput: { message: 'it is missing', missing: [{ syntax: '--this' }] },
    }),
  ).toBe(true);
});

/** Expects no escape sequences but those for cursor movement, erasing, and the colors of `createStyle`. */
function expectOnlyOwnSequences(output: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches color sequences
  expect(output).not.toMatch(/\u001b\[(?:3[013-8]|9[02-467])m/);
  for (const sequence of ['\u001b[2J', '\u001b]', '\u001bP', '\u001bc']) {
    expect(output).not.toContain(sequence);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches color sequences
  expectSafe(output.replace(/\u001b\[(?:\d*[A-GJKm]|\?25[hl])/g, ''));
}
