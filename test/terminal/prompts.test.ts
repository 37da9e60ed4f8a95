import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { render } from '@inquirer/testing';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { Failure } from '../../src/failure.js';
import { PromptEscape } from '../../src/terminal/ask-in-order.js';
import { createStyle } from '../../src/terminal/output.js';
import type { Prompter } from '../../src/terminal/prompter.js';
import { failureOf } from '../support/test-client.js';
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

const missingInput = { message: 'it is missing', missing: [{ syntax: '--this' }] };
const named = { message: 'Name:', missingInput };
const sure = { message: 'Sure?', problem: 'it needs confirmation' };
const name = { ...named, validate: (answer: string) => (answer === '' ? 'must not be blank' : undefined) };

test.each([false, true])('a prompt after the end of input cancels (accessible: %s)', async (accessible) => {
  const stdin = new PassThrough();
  stdin.end().resume();
  await once(stdin, 'close');
  const options = { accessible, stdin: stdin as unknown as NodeJS.ReadStream };
  await expect(createTestPrompter(options).confirm(sure)).rejects.toMatchObject({ kind: 'canceled' });
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
        missingInput,
      };
      const choices = [
        { name: one, value: 1 },
        { name: other, value: 2 },
      ];
      const validate = (answer: string) => (answer === '' ? `${one} is wrong` : undefined);
      const questions: Record<string, (ask: Prompter) => Promise<unknown>> = {
        choose: (ask) => ask.select({ ...asked, choices }),
        confirm: (ask) => ask.confirm({ ...asked, problem: 'it needs confirmation' }),
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
      missingInput,
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

test('every prompt without a terminal fails with its hint', async () => {
  const ask = createTestPrompter({ isInteractive: false });
  const question = { message: 'Which?', missingInput };
  for (const prompt of [
    () => ask.input(name),
    () => ask.password(name),
    () => ask.select({ ...question, choices: [] }),
    () => ask.confirm(sure),
  ]) {
    await expect(prompt()).rejects.toMatchObject({
      kind: 'usage',
      details: { hint: expect.stringMatching(/^pass --/) },
    });
  }
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

describe('screen-reader mode', () => {
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
    const { asking, said } = await put((ask) => ask.input(name), '\nRex\n');
    expect(await asking).toBe('Rex');
    expect(said()).toBe('Name:\nInvalid answer: must not be blank\n');
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
    const question = { ...sure, ...(usual !== undefined && { default: usual }) };
    const { asking, stdin } = await put((ask) => ask.confirm(question), '');
    for (const line of lines.trimEnd().split('\n')) {
      // Longer than a confirmation drops lines.
      for (let turns = 0; turns < 10; turns += 1) await setImmediate();
      stdin.write(`${line}\n`);
    }
    const confirmed = asking.then(
      () => true,
      () => false,
    );
    expect(await confirmed).toBe(answer);
  });

  test('Ctrl-D cancels a password prompt only if its line is empty', async () => {
    const typed = await put((ask) => ask.password(name), 'pets_x\u0004\n');
    expect(await typed.asking).toBe('pets_x');
    const empty = await put((ask) => ask.password(name), '\u0004');
    await expect(empty.asking).rejects.toMatchObject({ kind: 'canceled', message: 'canceled' });
  });

  test('Esc, then Enter leaves a password prompt', async () => {
    const { asking, stdin } = await put((ask) => ask.password(name), '\u001b');
    await pressed(stdin, 'escape');
    stdin.write('\r');
    await expect(asking).rejects.toBeInstanceOf(PromptEscape);
  });

  test('Esc alone does not leave a password prompt', async () => {
    const { asking, stdin } = await put((ask) => ask.password(name), 'pets_\u001b');
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
    const { asking, end } = await put((ask) => ask.input(name), '');
    const failed = failureOf(asking);
    end();
    expect(await failed).toMatchObject({ kind: 'canceled', message: 'canceled' });
  });
});
