import { describe, expect, test } from 'vitest';
import type { Account } from '../../../src/app/configuration.js';
import type { AppContext } from '../../../src/app/context.js';
import { promptPet } from '../../../src/commands/pets/prompt-pet.js';
import type { Settings } from '../../../src/config/settings.js';
import { canceledError, Failure } from '../../../src/failure.js';
import type { Prompter } from '../../../src/terminal/prompter.js';
import { failureOf } from '../../support/test-client.js';

const baseUrl = 'https://store.example:8443/v1';
const completePet = { name: 'Rex', categoryId: '7', status: 'sold' } as const;

test('prompts only for fields without a flag', async () => {
  const full = scriptPrompts({ answers: ['Rex', '7'], chosen: 'sold' });
  expect(await promptPet(full.context)).toEqual(completePet);
  expect(full.asked.slice(0, 3)).toEqual(['Name:', 'Category id:', 'Status:']);
  const part = scriptPrompts({ answers: ['7'] });
  expect(await promptPet(part.context, { flags: { name: 'Rex' } })).toEqual({ name: 'Rex', categoryId: '7' });
  expect(part.asked.slice(0, 2)).toEqual(['Category id:', 'Status:']);
});

test('repeats a prompt after an invalid answer, with the reason', async () => {
  const { context, problems } = scriptPrompts({ answers: [' ', 'Rex', '1.5', '7'] });
  await promptPet(context);
  expect(problems).toEqual(['the name must not be blank', 'the category id must be a 64-bit integer, such as 1']);
});

test('a category id may have blanks around it', async () => {
  const { context, problems } = scriptPrompts({ answers: ['Rex', ' 7 '] });
  expect(await promptPet(context)).toMatchObject({ categoryId: '7' });
  expect(problems).toEqual([]);
});

describe('the confirmation', () => {
  test.each<[string, Partial<Settings>, string, boolean]>([
    ['sandbox', { profile: 'sandbox' }, 'sandbox', true],
    ['production', { profile: 'production' }, 'production', false],
    ['a base URL', { profile: 'staging', baseUrl }, 'store.example:8443 (profile staging)', true],
  ])('names the target: %s', async (_, settings, target, isDefault) => {
    const { context, asked, defaults } = scriptPrompts({ settings });
    await promptPet(context, { flags: completePet });
    expect(asked).toEqual([`Add Rex (category 7, sold) to ${target}?`]);
    expect(defaults).toEqual([isDefault]);
  });

  test('is left out if the request is not sent', async () => {
    const { context, asked } = scriptPrompts({});
    expect(await promptPet(context, { flags: completePet, isShownOnly: true })).toEqual(completePet);
    expect(asked).toEqual([]);
  });
});

test.each([
  ['a no', undefined, 'canceled'],
  ['Ctrl-C', new Failure('canceled', { code: 'cancelled', message: 'ended by SIGINT' }), 'ended'],
])('after %s the message says that nothing was sent', async (_, thrown, words) => {
  const { context } = scriptPrompts({ isConfirmed: false, ...(thrown && { thrown }) });
  const { message } = await failureOf(promptPet(context, { flags: completePet }));
  expect(message).toMatch(new RegExp(`^${words}.*; nothing was sent$`));
});

test('an unusable account fails before any prompt', async () => {
  const problem = new Failure('auth', { code: 'no_key', message: 'there is no API key' });
  const { context, asked } = scriptPrompts({ problem });
  expect(await failureOf(promptPet(context))).toBe(problem);
  expect(asked).toEqual([]);
});

interface ScriptedAnswers {
  readonly answers?: readonly string[];
  readonly chosen?: string;
  readonly isConfirmed?: boolean;
  readonly settings?: Partial<Settings>;
  readonly problem?: Failure;
  /** Thrown by the confirmation. */
  readonly thrown?: Failure;
}

/** Creates a context whose prompts return these answers, and records the prompts. */
function scriptPrompts(script: ScriptedAnswers) {
  const { answers = [], chosen, isConfirmed = true, settings = {}, problem, thrown } = script;
  const asked: string[] = [];
  const problems: string[] = [];
  const defaults: (boolean | undefined)[] = [];
  const left = [...answers];
  const prompts: Pick<Prompter, 'input' | 'select' | 'confirm'> = {
    input: async ({ message, validate }) => {
      asked.push(message);
      for (;;) {
        const answer = left.shift();
        if (answer === undefined) throw new Error(`the test has no answer to ${message}`);
        const issue = validate(answer);
        if (issue === undefined) return answer;
        problems.push(issue);
      }
    },
    select: async ({ message, choices }) => {
      asked.push(message);
      return choices.find(({ value }) => value === chosen)?.value as never;
    },
    confirm: async ({ message, default: defaultAnswer }) => {
      asked.push(message);
      defaults.push(defaultAnswer);
      if (thrown) throw thrown;
      if (!isConfirmed) throw canceledError();
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
