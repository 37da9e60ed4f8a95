import { expect, test } from 'vitest';
import type { AppContext } from '../../../../src/app/context.js';
import type { ImportRelation } from '../../../../src/commands/pets/import/compare-imports.js';
import { confirmImport, confirmRepeatedImport } from '../../../../src/commands/pets/import/confirm-import.js';
import { emptyQuotaState, type QuotaState, type RateLimitWindow } from '../../../../src/quota/quota-state.js';

const now = 1_000_000_000;
const checked = { format: 'csv', header: undefined, rowCount: 3, invalidCount: 0, rowsDigest: 'r3' } as const;

type Confirm = (context: AppContext) => Promise<void>;

/** Returns the question that `confirm` asks. */
async function ask(confirm: Confirm, state: Partial<QuotaState>, settings: object = {}, defaults: unknown[] = []) {
  const questions: string[] = [];
  const answer = async ({ message, default: initial }: { readonly message: string; readonly default: boolean }) => {
    questions.push(message);
    defaults.push(initial);
    return true;
  };
  const context = {
    clock: { now: () => now },
    quota: { lastSeen: async () => ({ ...emptyQuotaState, seenAt: now, ...state }) },
    runtime: { platform: 'linux' },
    settings: { maxWaitMs: 60_000, profile: 'staging', ...settings },
    terminal: { prompts: { isInteractive: true, confirm: answer }, warn: () => {} },
  } as unknown as AppContext;
  await confirm(context);
  return questions.join('\n');
}

/** Returns what the question before an import of three rows says about the time. */
async function questionOf(state: Partial<QuotaState>, settings: { maxWaitMs?: number } = {}) {
  const runs = { isFinished: false, sentRows: 0, hasUnknownRows: false, rejectsFiles: new Map() };
  const question = await ask((context) => confirmImport(context, checked, runs), state, settings);
  return question.replace(/^Add 3 rows to \S+\? /, '');
}

function windowOf(remaining: number, resetMs: number, limit = 60): Partial<QuotaState> {
  const endsAt = now + resetMs;
  const window: RateLimitWindow = { limit, remaining, startedAt: now, endsAt, clockUncertaintyMs: 0 };
  return { quota: { limit, remaining, resetAt: endsAt }, windows: [window] };
}

const pause = (endMs: number): Partial<QuotaState> => ({
  block: { startedAt: now, endsAt: now + endMs, clockUncertaintyMs: 0, maxJitterMs: 0 },
});
const never = 'longer than --max-wait: no pet can be added now.';
const stop = 'because the wait for the quota is longer than --max-wait. Rerun the command to resume.';

test.each<[string, Partial<QuotaState>, { maxWaitMs?: number }, string]>([
  ['enough requests', windowOf(10, 30_000), {}, 'The quota allows it without a wait.'],
  ['a window of a minute', windowOf(0, 62_000), {}, 'This should take at least 1m 2s.'],
  ['a window after --max-wait', windowOf(0, 65_000), {}, `The quota is used up for 1m 5s, ${never}`],
  ['a window, without waits', windowOf(0, 2_000), { maxWaitMs: 0 }, `The quota is used up for 2s, ${never}`],
  [
    'a window after a longer --max-wait',
    windowOf(0, 122_500),
    { maxWaitMs: 120_000 },
    `The quota is used up for 2m 3s, ${never}`,
  ],
  ['too few requests in a day', windowOf(2, 7_200_000, 30), {}, `The import stops after at most 2 rows, ${stop}`],
  [
    'too few requests, without waits',
    windowOf(1, 30_000),
    { maxWaitMs: 0 },
    `The import stops after at most 1 row, ${stop}`,
  ],
  [
    'too few requests in another window than the last one',
    { ...windowOf(2, 7_200_000, 30), quota: { limit: 60, remaining: 50, resetAt: now + 30_000 } },
    {},
    `The import stops after at most 2 rows, ${stop}`,
  ],
  [
    'an exhausted quota whose pause has ended',
    { quota: { limit: 30, remaining: 0, resetAt: now + 7_200_000 } },
    {},
    'No pet can be added now, because the wait for the quota is longer than --max-wait.',
  ],
  ['a ban', { ...windowOf(10, 30_000), ...pause(900_000) }, {}, `Requests are paused for 15m, ${never}`],
  ['a short pause', { ...windowOf(10, 30_000), ...pause(20_000) }, {}, 'This should take at least 20s.'],
  ['only a reset', { quota: { resetAt: now + 900_000 }, noQuotaHeaders: true }, {}, 'The time is unknown.'],
])('the question states the minimum time of an import with %s', async (_, state, settings, time) => {
  expect(await questionOf(state, settings)).toBe(time);
});

test.each([
  ['staging', true],
  ['production', false],
])('for %s, Enter confirms an import: %s', async (profile, isDefault) => {
  const runs = { isFinished: false, sentRows: 0, hasUnknownRows: false, rejectsFiles: new Map() };
  const defaults: unknown[] = [];
  const settings = { profile };
  await ask((context) => confirmImport(context, checked, runs), windowOf(10, 30_000), settings, defaults);
  expect(defaults).toEqual([isDefault]);
});

test.each([
  [1, 0, false, 'Add 1 row to staging?'],
  [2, 0, false, 'Add 2 rows to staging?'],
  [2_003, 2, false, 'Add the remaining 2,001 rows to staging?'],
  [3, 2, false, 'Add the remaining row to staging?'],
  [2_003, 2, true, 'Add the remaining rows (at least 2,001) to staging?'],
  [3, 3, true, 'Add the remaining rows to staging?'],
])(
  'the question before an import of %i rows, %i of them sent (some with unknown outcome: %s), states how many are left',
  async (rowCount, sentRows, hasUnknownRows, words) => {
    const runs = { isFinished: false, sentRows, hasUnknownRows, rejectsFiles: new Map() };
    const question = await ask(
      (context) => confirmImport(context, { ...checked, rowCount }, runs),
      windowOf(10, 30_000),
    );
    expect(question).toContain(`${words} `);
  },
);

test.each([
  [1, 'Add 1 row to staging?'],
  [2, 'Add all 2 rows to staging?'],
])('the question before a repeated import of %i rows counts them', async (rowCount, words) => {
  const relation = { kind: 'changed', earlier: { isFinished: true } } as ImportRelation;
  const question = await ask(
    (context) =>
      confirmRepeatedImport(context, { ...checked, rowCount }, relation, {
        name: 'pets.csv',
        formatResume: () => 'run it',
      }),
    windowOf(10, 30_000),
  );
  expect(question).toContain(`${words} `);
});
