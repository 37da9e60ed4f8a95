import { expect, test } from 'vitest';
import { openSandbox } from '../../src/server/sandbox.js';
import {
  generatePets,
  parseSandboxState,
  restoreStateStatements,
  selectStateStatement,
} from '../../src/server/sandbox-state.js';
import { sql } from '../../src/server/sql.js';
import { fakeClock } from '../support/clock.js';

test('restores 64-bit ids, names, missing statuses and the last id exactly', async () => {
  const first = await open();
  await first.replacePets([
    sql`INSERT INTO pets (id, name, category_id, status)
      VALUES (${2n ** 62n + 1n}, ${'"\u0001🐈\u2028'}, ${-(2n ** 63n)}, ${null}), (${3n}, ${'Rex'}, ${1n}, ${'sold'})`,
    sql`UPDATE sqlite_sequence SET seq = ${2n ** 62n + 5n} WHERE name = 'pets'`,
  ]);
  const state = await readState(first);
  const second = await open();
  await second.replacePets(restoreStateStatements(state), state.plan);
  expect(await second.read(sql`SELECT * FROM pets`)).toEqual(await first.read(sql`SELECT * FROM pets`));
  expect(await second.read(sql`SELECT seq FROM sqlite_sequence`)).toEqual([{ seq: 2n ** 62n + 5n }]);
  expect((await second.readLimits()).perMinute).toBe(300);
});

test('restores a sandbox without pets, whose next id stays', async () => {
  const sandbox = await open();
  await sandbox.replacePets([]);
  const empty = await readState(sandbox);
  expect(JSON.parse(empty.text)).toEqual({ version: 1, plan: 'pro', lastId: 0, pets: [] });
  await sandbox.replacePets(restoreStateStatements(empty));
  expect(await sandbox.countPets()).toBe(0);
});

test('generates the same pets from the same seed', () => {
  const pets = (seed: number) => JSON.parse(generatePets({ count: 1000, seed }).text).pets;
  expect(pets(7)).toEqual(pets(7));
  expect(pets(7)).not.toEqual(pets(8));
  expect(pets(7)).toHaveLength(1000);
  expect(pets(7).slice(0, 2)).toEqual([
    { id: 1, name: 'Ada', categoryId: 1, status: 'pending' },
    { id: 2, name: 'Nori', categoryId: 4, status: 'available' },
  ]);
});

test.each([
  ['no JSON', '{'],
  ['another version', '{"version":2,"plan":"free","lastId":0,"pets":[]}'],
  ['an unknown plan', '{"version":1,"plan":"huge","lastId":0,"pets":[]}'],
  ['no last id', '{"version":1,"plan":"free","pets":[]}'],
  ['a last id above 64 bits', '{"version":1,"plan":"free","lastId":1e30,"pets":[]}'],
  ['an id above 64 bits', savedPets('{"id":9223372036854775808,"name":"Rex","categoryId":1,"status":null}')],
  ['a category id with an exponent', savedPets('{"id":1,"name":"Rex","categoryId":1e3,"status":null}')],
  ['an unknown status', savedPets('{"id":1,"name":"Rex","categoryId":1,"status":"lost"}')],
  [
    'an id twice',
    savedPets(
      '{"id":1,"name":"Rex","categoryId":1,"status":null}',
      '{"id":1,"name":"Tom","categoryId":1,"status":null}',
    ),
  ],
  ['a pet without a name', '{"version":1,"plan":"free","lastId":1,"pets":[{"id":1,"categoryId":1,"status":null}]}'],
])('rejects a saved state with %s', (_, text) => {
  expect(parseSandboxState(text)).toBeUndefined();
});

test('accepts ids above 2^53 that differ only in the last digit', () => {
  const rex = '{"id":9007199254740992,"name":"Rex","categoryId":1,"status":null}';
  const tom = '{"id":9007199254740993,"name":"Tom","categoryId":1,"status":"sold"}';
  expect(parseSandboxState(savedPets(rex, tom))?.petCount).toBe(2);
});

function savedPets(...pets: readonly string[]): string {
  return `{"version":1,"plan":"free","lastId":1,"pets":[${pets.join()}]}`;
}

type Sandbox = Awaited<ReturnType<typeof open>>;

async function readState(sandbox: Sandbox) {
  const [row] = await sandbox.read(selectStateStatement('pro'));
  const state = parseSandboxState(String(row?.state));
  if (!state) throw new Error('the state is damaged');
  return state;
}

function open() {
  const nodeVersion = process.versions.node;
  return openSandbox({
    path: ':memory:',
    plan: 'free',
    key: 'pets_sandbox0123456789',
    clock: fakeClock(),
    nodeVersion,
  });
}
