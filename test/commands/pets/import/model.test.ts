import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Crash, createCrash, createMemoryStore, createModelService, runModel } from '../../../support/import-model.js';

const row = fc.constantFrom('Ace', 'Bo', 'Cy', 'Di', 'Ed');
const rows = fc.array(row, { minLength: 1, maxLength: 12 });
const fault = fc.constantFrom(...(['none', 'none', 'none', 'lost', 'unsent', 'limited', 'rejected'] as const));

const run = fc.record({
  change: fc.oneof(
    { weight: 3, arbitrary: fc.constant({ kind: 'none' } as const) },
    fc.record({ kind: fc.constant('edit' as const), rows }),
    fc.record({ kind: fc.constant('append' as const), rows }),
    fc.constant({ kind: 'reverse' } as const),
    fc.constant({ kind: 'rename' } as const),
    fc.constant({ kind: 'rotate' } as const),
  ),
  crashAt: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 3, max: 60 })),
  lostPart: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
});

function csvOf(names: readonly string[]): string {
  return `name,categoryId\n${names.map((name) => `${name},1\n`).join('')}`;
}

function count(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

test('every row is added once or listed as unknown, whatever crashes, changes and loses responses', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(run, { maxLength: 8 }),
      fc.array(fault, { minLength: 10, maxLength: 40 }),
      fc.boolean(),
      async (first, runs, faults, honorsKeys) => {
        const memory = createMemoryStore();
        let faultCount = 0;
        let isCalm = false;
        const nextFault = () => (isCalm ? 'none' : (faults[faultCount++ % faults.length] as 'none'));
        const service = createModelService({ honorsKeys, nextFault });
        let names: readonly string[] = first;
        let path = '/pets-0.csv';
        let account = 'key-0';
        /** The most pets of each name that the imports so far may add. */
        const allowed = count([]);
        const allow = (imported: readonly string[]) => {
          for (const [name, times] of count(imported)) allowed.set(name, Math.max(times, allowed.get(name) ?? 0));
        };
        let hasRotated = false;
        const attempt = async (next: readonly string[], event: () => void) => {
          const answer = (isReplaced: boolean) => (isReplaced ? 'refuse' : 'go');
          const totals = await runModel(memory, service, {
            text: csvOf(next),
            path,
            account,
            event,
            onQuestion: answer,
          });
          // A replaced file: the user gets the old one back.
          if (totals) names = next;
          return totals;
        };
        for (const { change, crashAt, lostPart } of [...runs, undefined].map((one) => one ?? lastRun)) {
          if (change.kind === 'rename') path = `${path}x`;
          if (change.kind === 'rotate') {
            account = `${account}x`;
            hasRotated = true;
          }
          const isLast = crashAt === 0;
          isCalm = isLast;
          const next = {
            edit: change.kind === 'edit' ? change.rows : [],
            append: change.kind === 'append' ? [...names, ...change.rows] : [],
            reverse: [...names].reverse(),
            rename: names,
            rotate: names,
            none: names,
          }[change.kind];
          const crash = createCrash(isLast ? Number.POSITIVE_INFINITY : crashAt);
          try {
            const before = names;
            const totals = await attempt(next, crash);
            allow(names);
            if (before !== names || totals) checkOnce(service.pets, allowed);
            if (isLast) {
              const unknown = totals?.unknown.map(({ name }) => name) ?? [];
              checkComplete(service.pets, names, unknown);
              if (honorsKeys && !hasRotated) expect(unknown).toEqual([]);
            }
          } catch (error) {
            if (!(error instanceof Crash)) throw error;
            names = next;
            allow(next);
            memory.cutPower(lostPart);
            checkOnce(service.pets, allowed);
          }
        }
      },
    ),
    { numRuns: 400 },
  );
});

test.each([true, false])(
  '1,000 rows, 50 power cuts and every third response lost: a service that honors keys (%s) gets each row once',
  async (honorsKeys) => {
    const memory = createMemoryStore();
    let requests = 0;
    let isCalm = false;
    const nextFault = () => (!isCalm && requests++ % 3 === 0 ? 'lost' : 'none');
    const service = createModelService({ honorsKeys, nextFault });
    const names = Array.from({ length: 1_000 }, (_, index) => `Pet ${index}`);
    const run = { text: csvOf(names), path: '/pets.csv', account: 'key', onQuestion: () => 'refuse' as const };
    for (let cuts = 0; cuts < 50; cuts += 1) {
      await expect(runModel(memory, service, { ...run, event: createCrash(60 + cuts) })).rejects.toThrow(Crash);
      memory.cutPower(1);
    }
    isCalm = true;
    const totals = await runModel(memory, service, { ...run, event: () => {} });
    const added = namesOf(service.pets);
    expect(new Set(added).size).toBe(added.length);
    const unknown = totals?.unknown.map(({ name }) => name) ?? [];
    expect([...new Set([...added, ...unknown])].sort()).toEqual([...names].sort());
    if (honorsKeys) expect(unknown).toEqual([]);
  },
);

const lastRun = { change: { kind: 'none' }, crashAt: 0, lostPart: 0 } as const;

function checkOnce(pets: readonly string[], allowed: ReadonlyMap<string, number>): void {
  for (const [name, times] of count(namesOf(pets))) expect(times, name).toBeLessThanOrEqual(allowed.get(name) ?? 0);
}

function checkComplete(pets: readonly string[], names: readonly string[], unknown: readonly string[]): void {
  const found = count([...namesOf(pets), ...unknown]);
  for (const [name, times] of count(names)) expect(found.get(name) ?? 0, name).toBeGreaterThanOrEqual(times);
}

function namesOf(pets: readonly string[]): readonly string[] {
  return pets.map((pet) => (JSON.parse(pet) as { name: string }).name);
}
