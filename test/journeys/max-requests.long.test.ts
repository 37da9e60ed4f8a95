import { expect, test } from 'vitest';
import { newUser } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';

test.each([
  ['always responds', [], 200],
  ['often fails', ['--fault', '503:0.2', '--fault', 'reset:0.1'], 100],
])(
  '20 processes with --max-requests 10 send at most 200 requests to a server that %s',
  async (_, faults, minimum) => {
    const server = await startServeProcess(
      ...['--plan', 'enterprise', '--per-minute', '100000', '--per-day', '1000000', '--metrics-port', '0', ...faults],
    );
    const args = ['pets', 'list', '--all', '--limit', '1', '-o', 'ndjson', '--max-requests', '10'];
    const users = Array.from({ length: 20 }, newUser);
    const runs = await Promise.all(users.map(({ run }) => run(args, { env: server.env })));
    const isLimited = runs.filter(({ stderr }) => stderr.includes('"code":"request_budget"'));
    expect(isLimited.length).toBeGreaterThan(minimum / 20);
    const metrics = await (await fetch(server.metricsUrl)).text();
    const counts = [...metrics.matchAll(/^petstore_requests_total\{.*operation="listPets".*\} (\d+)$/gm)];
    const requests = counts.reduce((sum, [, count]) => sum + Number(count), 0);
    expect(requests).toBeGreaterThanOrEqual(minimum);
    expect(requests).toBeLessThanOrEqual(200);
  },
  120_000,
);
