import { describe, expect, test } from 'vitest';
import type { Account } from '../../../src/app/account.js';
import type { AppContext } from '../../../src/app/context.js';
import { promptPet } from '../../../src/commands/pets/prompt-pet.js';
import type { Settings } from '../../../src/config/settings.js';
import { Failure } from '../../../src/failure.js';
import type { Prompter } from '../../../src/terminal/prompter.js';
import { failureOf } from '../../support/test-client.js';

const whole = { name: 'Rex', categoryId: '7', status: 'sold' } as const;

test('what the flags leave out is asked for, and no more', async () => {
  const all = person({ texts: ['Rex', '7'], chosen: 'sold' });
  expect(await promptPet(all.context, {})).toEqual(whole);
  expect(all.asked.slice(0, 3)).toEqual(['Name:', 'Category id:', 'Status:']);
  const less = person({ texts: ['7'], chosen: undefined });
  expect(await promptPet(less.context, { name: 'Rex' })).toEqual({ name: 'Rex', categoryId: '7' });
  expect(less.asked.slice(0, 2)).toEqual(['Category id:', 'Status:']);
});

test('an answer that is no pet’s is asked for again, and says why', async () => {
  const { context, problems } = person({ texts: [' ', 'Rex', '1.5', '7'], chosen: undefined });
  await promptPet(context, {});
  expect(problems).toEqual([
    'The name must not be blank',
    'The category must be a 64-bit whole number, such as 1',
  ]);
});

describe('before it is sent, one sees it whole and where it goes', () => {
  test.each<[string, Partial<Settings>, string, boolean]>([
    ['the sandbox', { profile: 'sandbox' }, 'sandbox', true],
    ['production', { profile: 'production' }, 'PRODUCTION', false],
    [
      'another address',
      { profile: 'staging', baseUrl: 'https://store.example:8443/v1' },
      'store.example:8443 (profile staging)',
      true,
    ],
  ])('to %s', async (_, settings, place, otherwise) => {
    const { context, asked, defaults } = person({ settings });
    await promptPet(context, whole);
    expect(asked).toEqual([`Add Rex, category 7, sold, to ${place}?`]);
    expect(defaults).toEqual([otherwise]);
  });

  test.each([
    ['a dry run', { dryRun: true }, {}],
    ['--curl', {}, { curl: true }],
  ] as const)('but not for %s, which sends nothing', async (_, options, settings) => {
    const { context, asked } = person({ settings });
    expect(await promptPet(context, { ...whole, ...options })).toEqual(whole);
    expect(asked).toEqual([]);
  });
});

test.each([
  ['a no', undefined, 'cancelled'],
  ['Ctrl-C', new Failure('canceled', { code: 'cancelled', message: 'ended by SIGINT' }), 'ended'],
  ['the end of input', new Failure('usage', { code: 'end_of_input', message: 'no answer' }), 'no'],
])('after %s it is said that nothing was sent', async (_, thrown, words) => {
  const { context } = person({ agrees: false, ...(thrown && { thrown }) });
  const { message } = await failureOf(promptPet(context, whole));
  expect(message).toMatch(new RegExp(`^${words}.*; nothing was sent$`));
});

test('where nothing could be sent, nothing is asked', async () => {
  const problem = new Failure('auth', { code: 'no_key', message: 'there is no API key' });
  const { context, asked } = person({ problem });
  expect(await failureOf(promptPet(context, {}))).toBe(problem);
  expect(asked).toEqual([]);
});

interface Person {
  readonly texts?: readonly string[];
  readonly chosen?: string | undefined;
  readonly agrees?: boolean;
  readonly settings?: Partial<Settings>;
  readonly problem?: Failure;
  /** What the last question ends with, in place of an answer. */
  readonly thrown?: Failure;
}

/** Somebody who gives these answers; what they were asked and told of is kept. */
function person({ texts = [], chosen, agrees = true, settings = {}, problem, thrown }: Person) {
  const asked: string[] = [];
  const problems: string[] = [];
  const defaults: (boolean | undefined)[] = [];
  const left = [...texts];
  const prompts: Pick<Prompter, 'input' | 'select' | 'confirm'> = {
    input: async ({ message, validate }) => {
      asked.push(message);
      for (;;) {
        const answer = left.shift();
        if (answer === undefined) throw new Error(`the test has no answer to ${message}`);
        const wrong = validate(answer);
        if (wrong === undefined) return answer;
        problems.push(wrong);
      }
    },
    select: async ({ message, choices }) => {
      asked.push(message);
      const found = choices.find(({ value }) => value === chosen);
      if (!found) throw new Error(`${chosen} is not offered`);
      return found.value;
    },
    confirm: async ({ message, default: byEnter }) => {
      asked.push(message);
      defaults.push(byEnter);
      if (thrown) throw thrown;
      return agrees;
    },
  };
  const account: Account = { profile: 'sandbox', ...(problem && { problem }) };
  const context = {
    terminal: { prompts },
    config: { account: async () => account },
    settings: { profile: 'sandbox', ...settings },
  } as unknown as AppContext;
  return { context, asked, problems, defaults };
}
