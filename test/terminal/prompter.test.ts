import { render } from '@inquirer/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { Failure } from '../../src/failure.js';
import { toSafeText } from '../../src/format/safe-text.js';
import type { Prompter } from '../../src/terminal/prompter.js';
import { askWith } from '../support/ask.js';
import { expectInert, hostileText } from '../support/hostile.js';

interface Conversation {
  readonly signal?: AbortSignal;
  readonly color?: boolean;
}

/** Puts one question to a person at a terminal made of streams. */
function put<Answer>(
  question: (ask: Prompter) => Promise<Answer>,
  conversation: Conversation = {},
) {
  const prompt = (_: object, context: { input?: unknown; output?: unknown } = {}) =>
    question(
      askWith({
        ...conversation,
        stdin: context.input as NodeJS.ReadStream,
        stderr: context.output as NodeJS.WriteStream,
      }),
    );
  return render(prompt as never, {}) as ReturnType<typeof render<Answer, object>>;
}

const name = {
  message: 'Name:',
  missingInputMessage: 'pass --name',
  validate: (answer: string) => (answer === '' ? 'must not be blank' : undefined),
};

test('text is asked for until it is right', async () => {
  const { answer, events, getScreen, nextRender } = await put((ask) => ask.input(name));
  expect(getScreen()).toBe('? Name:');
  events.keypress('enter');
  await nextRender();
  expect(getScreen()).toContain('> must not be blank');
  events.type('Rex');
  events.keypress('enter');
  expect(await answer).toBe('Rex');
  expect(getScreen()).toContain('✔ Name: Rex');
});

test('a secret is typed unseen', async () => {
  const { answer, events, getFullOutput } = await put((ask) => ask.password(name));
  events.type('pets_secret');
  events.keypress('enter');
  expect(await answer).toBe('pets_secret');
  expect(await getFullOutput()).not.toContain('secret');
});

test('a choice starts at the current one', async () => {
  const { answer, events, getScreen, nextRender } = await put((ask) =>
    ask.select({
      message: 'Which?',
      missingInputMessage: 'pass one',
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

test('a search narrows by what is typed, whatever its case', async () => {
  const { answer, events, getScreen } = await put((ask) =>
    ask.search({
      message: 'Which?',
      missingInputMessage: 'pass one',
      choices: [
        { name: '1 Ada', value: 1 },
        { name: '2 Rex', value: 2 },
      ],
    }),
  );
  events.type('rE');
  await vi.waitFor(() => expect(getScreen()).not.toContain('Ada'));
  events.keypress('enter');
  expect(await answer).toBe(2);
});

test.each([
  ['y', true],
  ['n', false],
])('a confirmation answered with %s is %s', async (key, agreed) => {
  const { answer, events } = await put((ask) =>
    ask.confirm({ message: 'Sure?', missingInputMessage: 'pass --yes' }),
  );
  events.type(key);
  events.keypress('enter');
  expect(await answer).toBe(agreed);
});

test('text from outside is escaped in questions and choices', async () => {
  const { getScreen, answer, events } = await put((ask) =>
    ask.select({
      message: 'Which \u001b[2J?',
      missingInputMessage: 'pass one',
      choices: [{ name: 'Rex\u202e', value: 1 }],
    }),
  );
  expect(getScreen()).toContain('Which \\u001b[2J?');
  expect(getScreen()).toContain('Rex\\u202e');
  events.keypress('enter');
  await answer;
});

test.each([[true], [false]])(
  'no text from outside reaches the terminal raw in any question (colour: %s)',
  async (color) => {
    const question = fc.record({
      kind: fc.constantFrom('choose', 'search', 'confirm', 'text'),
      texts: fc.tuple(hostileText, hostileText, hostileText),
    });
    await fc.assert(
      fc.asyncProperty(question, async ({ kind, texts: [message, one, other] }) => {
        const asked = { message, missingInputMessage: '' };
        const choices = [
          { name: one, value: 1 },
          { name: other, value: 2 },
        ];
        const validate = (answer: string) => (answer === '' ? `${one} is wrong` : undefined);
        const questions: Record<string, (ask: Prompter) => Promise<unknown>> = {
          choose: (ask) => ask.select({ ...asked, choices }),
          search: (ask) => ask.search({ ...asked, choices }),
          confirm: (ask) => ask.confirm(asked),
          text: (ask) => ask.input({ ...asked, validate }),
        };
        const { answer, events, getScreen, getFullOutput } = await put(
          questions[kind] as (ask: Prompter) => Promise<unknown>,
          { color },
        );
        events.keypress('enter');
        if (kind === 'text') {
          await vi.waitFor(() => expect(getScreen()).toContain('is wrong'));
          events.type('Rex');
          events.keypress('enter');
        }
        await answer;
        expectOnlyOwnSequences(await getFullOutput({ raw: true }));
      }),
      { numRuns: 60 },
    );
  },
);

test.each([[true], [false]])(
  'nor does what is pasted into a search (colour: %s)',
  async (color) => {
    const pasted = 'a\u202e\u009b\u{e0041}\u200b';
    const { answer, events, getScreen, getFullOutput } = await put(
      (ask) =>
        ask.search({
          message: 'Which?',
          missingInputMessage: '',
          choices: [{ name: pasted, value: 1 }],
        }),
      { color },
    );
    events.type(pasted);
    await vi.waitFor(() => expect(getScreen()).toContain(`Which? ${toSafeText(pasted)}`));
    events.keypress('enter');
    await answer;
    expectOnlyOwnSequences(await getFullOutput({ raw: true }));
  },
);

test('without colour no escape sequence for colour is written', async () => {
  const { getScreen, answer, events } = await put((ask) =>
    ask.select({
      message: 'Which?',
      missingInputMessage: '',
      choices: [{ name: 'Rex', value: 1 }],
    }),
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  expect(getScreen({ raw: true })).not.toMatch(/\u001b\[[0-9;]*m/);
  events.keypress('enter');
  await answer;
});

test.each([
  ['Ctrl-C', 'c', 'canceled', 'cancelled'],
  ['Ctrl-D', 'd', 'usage', 'the input ended before the question was answered'],
])('%s ends the question', async (_, letter, kind, message) => {
  const { answer, events } = await put((ask) => ask.input(name));
  events.keypress({ name: letter, ctrl: true });
  await expect(answer).rejects.toMatchObject({ kind, message });
});

test('the end of input ends the question: usage', async () => {
  const { answer, input } = await put((ask) => ask.input(name));
  input.emit('end');
  await expect(answer).rejects.toMatchObject({ kind: 'usage', details: { code: 'end_of_input' } });
});

test('a signal ends the question with its own failure', async () => {
  const controller = new AbortController();
  const { answer } = await put((ask) => ask.input(name), { signal: controller.signal });
  const reason = new Failure('canceled', {
    code: 'cancelled',
    message: 'ended',
    signal: 'SIGTERM',
  });
  controller.abort(reason);
  await expect(answer).rejects.toBe(reason);
});

test('a signal that came before ends the question too', async () => {
  const reason = new Failure('canceled', { code: 'cancelled', message: 'ended' });
  const { answer } = await put((ask) => ask.input(name), { signal: AbortSignal.abort(reason) });
  await expect(answer).rejects.toBe(reason);
});

test('where no one can answer each question fails with what to pass', async () => {
  const ask = askWith({ isInteractive: false });
  const missingInputMessage = { message: 'Which?', missingInputMessage: 'pass --this' };
  for (const question of [
    () => ask.input(name),
    () => ask.password(name),
    () => ask.select({ ...missingInputMessage, choices: [] }),
    () => ask.search({ ...missingInputMessage, choices: [] }),
    () => ask.confirm(missingInputMessage),
  ]) {
    await expect(question()).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/^pass --/),
    });
  }
});

test('--yes answers a confirmation unasked', async () => {
  const ask = askWith({ isInteractive: false, assumeYes: true });
  expect(await ask.confirm({ message: 'Sure?', missingInputMessage: 'pass --yes' })).toBe(true);
});

/** Besides text that is inert: what a prompt itself writes to move about, to erase and to colour. */
function expectOnlyOwnSequences(output: string): void {
  for (const sequence of ['\u001b[2J', '\u001b]', '\u001bP', '\u001bc']) {
    expect(output).not.toContain(sequence);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  expectInert(output.replace(/\u001b\[(?:\d*[A-GKm]|\?25[hl])/g, ''));
}
