import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { newUser, temporaryDirectory, type User } from '../support/petstore.js';
import { newPostgres, programs } from '../support/postgres.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';

/** A request of one client. Times are in milliseconds since the Unix epoch. */
interface Outcome {
  readonly key: 'old' | 'new';
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number;
}

const overlapMs = 6_000;
const clientsPerKey = 3;

/** Servers may estimate the clock of PostgreSQL this far off. */
const toleranceMs = 500;

describe.each([
  ['SQLite', async () => join(temporaryDirectory(), 'store.db')],
  ...(programs === undefined ? [] : [['PostgreSQL', newPostgres] as const]),
] as const)('on %s', (_, newDatabase) => {
  test('both keys of a rotation work under load until the overlap ends, then the old one gets 401', async () => {
    const database = await newDatabase();
    const user = newUser();
    const servers = [
      await startServeProcess('--database', database, '--log', 'none'),
      await startServeProcess('--database', database, '--log', 'none'),
    ];
    const limits = ['--per-minute', '1000000', '--per-day', '1000000'];
    const { apiKey: oldKey } = await runKeys(user, database, 'create', ...limits, '--label', 'ci');
    const outcomes: Outcome[] = [];
    const stopped = new AbortController();
    const startClients = (key: Outcome['key'], apiKey: string) =>
      Array.from({ length: clientsPerKey }, async (_, index) => {
        const server = servers[index % servers.length] as ServeProcess;
        while (!stopped.signal.aborted) {
          const startedAt = Date.now();
          const { status } = await send(server, apiKey);
          outcomes.push({ key, startedAt, endedAt: Date.now(), status });
          // Requests without a valid key are counted by address, which has the limits of the Free plan.
          if (status !== 200) return;
          await sleep(20);
        }
      });
    const add = (index: number, apiKey: string) =>
      send(servers[index] as ServeProcess, apiKey, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'rotation' },
        body: '{"name":"Rex","categoryId":1}',
      });

    const oldClients = startClients('old', oldKey);
    const added = await add(0, oldKey);
    await vi.waitFor(() => expect(outcomes.length).toBeGreaterThan(20), { timeout: 30_000 });
    const rotatedAfter = Date.now();
    const { apiKey: newKey } = await runKeys(user, database, 'rotate', 'ci', '--overlap', `${overlapMs / 1_000}s`);
    const newClients = startClients('new', newKey);
    const repeated = await add(1, newKey);
    const listed = await runKeys(user, database, 'list');
    const expiresAt = Date.parse(listed.find(({ successor }: { successor: string | null }) => successor).expiresAt);
    await Promise.all(oldClients);
    stopped.abort();
    await Promise.all(newClients);

    expect(expiresAt).toBeGreaterThanOrEqual(rotatedAfter + overlapMs);
    expect([added.status, repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true']);
    expect(await repeated.text()).toBe(await added.text());
    const select = (key: Outcome['key'], isSelected = (_: Outcome) => true) =>
      outcomes.filter((outcome) => outcome.key === key && isSelected(outcome)).map(({ status }) => status);
    const isBeforeEnd = ({ endedAt }: Outcome) => endedAt < expiresAt - toleranceMs;
    const isInOverlap = (outcome: Outcome) => outcome.startedAt > expiresAt - overlapMs && isBeforeEnd(outcome);
    expect(new Set(select('old', isBeforeEnd))).toEqual(new Set([200]));
    expect(select('old', isInOverlap)).toContain(200);
    expect(select('old').filter((status) => status !== 200)).toEqual(Array.from({ length: clientsPerKey }, () => 401));
    expect(select('old', ({ startedAt }) => startedAt > expiresAt + toleranceMs)).not.toContain(200);
    expect(select('new', isInOverlap)).toContain(200);
    expect(new Set(select('new'))).toEqual(new Set([200]));
  });
});

async function runKeys(user: User, database: string, ...words: readonly string[]) {
  const { stdout, stderr, exitCode } = await user.run(['serve', 'keys', ...words, '--database', database, '--json']);
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout);
}

function send({ baseUrl }: ServeProcess, apiKey: string, { headers, ...request }: RequestInit = {}): Promise<Response> {
  return fetch(`${baseUrl}/pets?limit=1`, { ...request, headers: { ...headers, authorization: `Bearer ${apiKey}` } });
}
