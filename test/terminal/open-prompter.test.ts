import { render } from '@inquirer/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { Failure } from '../../src/failure.js';
import { safe } from '../../src/format/safe.js';
import type { Ask } from '../../src/terminal/prompter.js';
import { askWith } from '../support/ask.js';
import { expectInert, hostileText } from '../support/hostile.js';

interface Conversation {
  readonly signal?: AbortSignal;
  readonly color?: boolean;
}

/** Puts one question to a person at a terminal made of streams. */
function put<Answer>(question: (ask: Ask) => Promise<Answer>, conversation: Conversation = {}) {
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
  otherwise: 'pass --name',
  problemWith: (answer: string) => (answer === '' ? 'must not be blank' : undefined),
};

test('text is asked for until it is right', async () => {
  const { answer, events, getScreen, nextRender } = await put((ask) => ask.text(name));
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
  const { answer, events, getFullOutput } = await put((ask) => ask.secret(name));
  events.type('pets_secret');
  events.keypress('enter');
  expect(await answer).toBe('pets_secret');
  expect(await getFullOutput()).not.toContain('secret');
});

test('a choice starts at the current one', async () => {
  const { answer, events, getScreen, nextRender } = await put((ask) =>
    ask.choose({
      message: 'Which?',
      otherwise: 'pass one',
      choices: [
        { name: 'first', value: 1 },
        { name: 'second', value: 2 },
        { name: 'third', value: 3 },
      ],
      current: 2,
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
      otherwise: 'pass one',
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
    ask.confirm({ message: 'Sure?', otherwise: 'pass --yes' }),
  );
  events.type(key);
  events.keypress('enter');
  expect(await answer).toBe(agreed);
});

test('text from outside is escaped in questions and choices', async () => {
  const { getScreen, answer, events } = await put((ask) =>
    ask.choose({
      message: 'Which \u001b[2J?',
      otherwise: 'pass one',
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
        const asked = { message, otherwise: '' };
        const choices = [
          { name: one, value: 1 },
          { name: other, value: 2 },
        ];
        const problemWith = (answer: string) => (answer === '' ? `${one} is wrong` : undefined);
        const questions: Record<string, (ask: Ask) => Promise<unknown>> = {
          choose: (ask) => ask.choose({ ...asked, choices }),
          search: (ask) => ask.search({ ...asked, choices }),
          confirm: (ask) => ask.confirm(asked),
          text: (ask) => ask.text({ ...asked, problemWith }),
        };
        const { answer, events, getScreen, getFullOutput } = await put(
          questions[kind] as (ask: Ask) => Promise<unknown>,
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
        ask.search({ message: 'Which?', otherwise: '', choices: [{ name: pasted, value: 1 }] }),
      { color },
    );
    events.type(pasted);
    await vi.waitFor(() => expect(getScreen()).toContain(`Which? ${safe(pasted)}`));
    events.keypress('enter');
    await answer;
    expectOnlyOwnSequences(await getFullOutput({ raw: true }));
  },
);

test('without colour no escape sequence for colour is written', async () => {
  const { getScreen, answer, events } = await put((ask) =>
    ask.choose({ message: 'Which?', otherwise: '', choices: [{ name: 'Rex', value: 1 }] }),
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  expect(getScreen({ raw: true })).not.toMatch(/\u001b\[[0-9;]*m/);
  events.keypress('enter');
  await answer;
});

test.each([
  ['Ctrl-C', 'c', 'cancelled', 'cancelled'],
  ['Ctrl-D', 'd', 'usage', 'the input ended before the question was answered'],
])('%s ends the question', async (_, letter, kind, message) => {
  const { answer, events } = await put((ask) => ask.text(name));
  events.keypress({ name: letter, ctrl: true });
  await expect(answer).rejects.toMatchObject({ kind, message });
});

test('the end of input ends the question: usage', async () => {
  const { answer, input } = await put((ask) => ask.text(name));
  input.emit('end');
  await expect(answer).rejects.toMatchObject({ kind: 'usage', details: { code: 'end_of_input' } });
});

test('a signal ends the question with its own failure', async () => {
  const controller = new AbortController();
  const { answer } = await put((ask) => ask.text(name), { signal: controller.signal });
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
  const { answer } = await put((ask) => ask.text(name), { signal: AbortSignal.abort(reason) });
  await expect(answer).rejects.toBe(reason);
});

test('a question that was answered no longer listens to the signal', async () => {
  const listeners = new Set<unknown>();
  const signal: AbortSignal = {
    ...new AbortController().signal,
    addEventListener: (_, listener) => void listeners.add(listener),
    removeEventListener: (_, listener) => void listeners.delete(listener),
  };
  const { answer, input } = await put((ask) => ask.text(name), { signal });
  expect(listeners.size).toBe(1);
  input.emit('end');
  await expect(answer).rejects.toThrow();
  expect(listeners.size).toBe(0);
});

test('where no one can answer each question fails with what to pass', async () => {
  const ask = askWith({ possible: false });
  const otherwise = { message: 'Which?', otherwise: 'pass --this' };
  for (const question of [
    () => ask.text(name),
    () => ask.secret(name),
    () => ask.choose({ ...otherwise, choices: [] }),
    () => ask.search({ ...otherwise, choices: [] }),
    () => ask.confirm(otherwise),
  ]) {
    await expect(question()).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/^pass --/),
    });
  }
});

test('--yes answers a confirmation unasked', async () => {
  const ask = askWith({ possible: false, yes: true });
  expect(await ask.confirm({ message: 'Sure?', otherwise: 'pass --yes' })).toBe(true);
});

/** Besides text that is inert: what a prompt itself writes to move about, to erase and to colour. */
function expectOnlyOwnSequences(output: string): void {
  for (const sequence of ['\u001b[2J', '\u001b]', '\u001bP', '\u001bc']) {
    expect(output).not.toContain(sequence);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  expectInert(output.replace(/\u001b\[(?:\d*[A-GKm]|\?25[hl])/g, ''));
}
