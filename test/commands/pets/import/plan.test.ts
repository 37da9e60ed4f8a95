import { expect, test } from 'vitest';
import type { Connection } from '../../../../src/app/connections.js';
import type { AppContext } from '../../../../src/app/context.js';
import { createJournal } from '../../../../src/commands/pets/import/journal.js';
import { confirmImport, type ImportPlan } from '../../../../src/commands/pets/import/plan.js';
import { emptyQuotaState, type QuotaState } from '../../../../src/quota/quota-state.js';

const minute = 60_000;
const plan: ImportPlan = {
  ...{ isChanged: false, journal: createJournal('/known.journal'), newPath: '/new.journal' },
  ...{ rows: 3, added: 0, left: 3, missing: 0 },
};

interface Asked {
  readonly message: string;
  readonly default?: boolean;
  readonly choices?: readonly { readonly value: unknown; readonly name: string }[];
}

/** Returns the question before an import, and the journal after the answer. */
async function ask(changes: Partial<ImportPlan>, state: Partial<QuotaState> = {}, profile = 'staging', choice = 0) {
  let asked: Asked | undefined;
  const context = {
    clock: { now: () => 0 },
    settings: { maxWaitMs: minute, profile },
    terminal: {
      prompts: {
        isInteractive: true,
        confirm: async (question: Asked) => {
          asked = question;
        },
        select: async (question: Asked) => {
          asked = question;
          return question.choices?.[choice]?.value;
        },
      },
    },
  } as unknown as AppContext;
  const connection = {
    dataId: () => undefined,
    quotaState: async () => ({ ...emptyQuotaState, ...state }),
  } as unknown as Connection;
  const journal = await confirmImport(context, connection, { ...plan, ...changes }, 'pets.csv');
  return { asked, journal };
}

function windowOf(remaining: number, endsAt: number, limit = 50): Partial<QuotaState> {
  return { windows: [{ limit, remaining, startedAt: 0, endsAt, clockUncertaintyMs: 0 }] };
}

const stop = 'because the wait for the quota is longer than --max-wait. Rerun the command later to resume.';

test.each<[Partial<QuotaState>, string]>([
  [{}, ' The time is unknown until the first response shows the quota.'],
  [windowOf(10, 30_000), ''],
  [windowOf(0, 62_000), ' This takes at least 1m 2s.'],
  [windowOf(0, 65_000), ` No row can be sent now, ${stop}`],
  [windowOf(2, 7_200_000), ` The import stops after at most 2 rows, ${stop}`],
  [
    { block: { startedAt: 0, endsAt: 900_000, clockUncertaintyMs: 0, maxJitterMs: 0 } },
    ` No row can be sent now, ${stop}`,
  ],
])('with the quota %j, the question says how long an import takes', async (state, time) => {
  expect((await ask({}, state)).asked?.message).toBe(`Add 3 rows to staging?${time}`);
});

test.each<[Partial<ImportPlan>, string]>([
  [{ rows: 1, left: 1 }, 'Add 1 row to staging?'],
  [{ rows: 2_000, added: 1_990, left: 10 }, '1,990 of 2,000 rows were added before. Add the other 10 rows to staging?'],
  [{ isChanged: true, added: 1, left: 1, rows: 2 }, '1 of 2 rows was added before. Add the other 1 row to staging?'],
])('the question before %j counts the rows', async (changes, words) => {
  const { asked, journal } = await ask(changes);
  expect(asked?.message).toContain(`${words} The time`);
  expect(journal).toBe('/known.journal');
});

test.each([
  ['staging', true],
  ['production', false],
])('for %s, Enter confirms an import: %s', async (profile, isDefault) => {
  expect((await ask({}, {}, profile)).asked?.default).toBe(isDefault);
});

test('nothing is asked if no row is left', async () => {
  expect((await ask({ added: 3, left: 0 })).asked).toBeUndefined();
});

test('a replaced file has three answers', async () => {
  const replaced = { isChanged: true, added: 1, left: 2, missing: 1 };
  const { asked, journal } = await ask(replaced);
  expect(asked?.message).toBe(
    'pets.csv was replaced since its import: it lacks 1 row of those that were added. Which rows should be added to staging?',
  );
  expect(asked?.choices?.map(({ name }) => name)).toEqual([
    'all 3 rows',
    'only the 2 rows not added before',
    'none (cancel)',
  ]);
  expect(journal).toBe('/new.journal');
  expect((await ask(replaced, {}, 'staging', 1)).journal).toBe('/known.journal');
  await expect(ask(replaced, {}, 'staging', 2)).rejects.toMatchObject({ kind: 'canceled' });
});
