import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { checkSlowClients, headOfCreate, sendRaw, sendSlowly } from '../support/raw-client.js';
import { checkTestHost, startTestListener, testKey } from '../support/test-server.js';

const good = `GET /v1/pets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${testKey}\r\n\r\n`;

test('slow clients get 408 in time while others are served', async () => {
  const { port } = await startTestListener(checkTestHost, { clock: systemClock });
  const slow = checkSlowClients(port, testKey);
  for (let asked = 0; asked < 8; asked += 1) {
    expect(await sendRaw(port, [good])).toMatchObject([{ status: 200 }]);
    await systemClock.sleep(1_000);
  }
  await slow;
});

test('a silent client is disconnected without a response', async () => {
  const { port } = await startTestListener(checkTestHost, { clock: systemClock });
  const begin = performance.now();
  expect(await sendSlowly(port, '', '')).toEqual([]);
  expect(performance.now() - begin).toBeLessThan(20_000);
});

test('others are served while slow clients exceed the connection limit', async () => {
  const { port } = await startTestListener(checkTestHost, { clock: systemClock, maxConnectionsPerAddress: 1_000 });
  const head = headOfCreate(testKey);
  const starts = [head, `${head}Content-Length: 29\r\n\r\n{`] as const;
  for (let opened = 0; opened < 600; opened += 1) {
    void sendSlowly(port, starts[opened % 2] ?? '', '');
  }
  for (let asked = 0; asked < 5; asked += 1) {
    await systemClock.sleep(500);
    const begin = performance.now();
    expect(await sendRaw(port, [good])).toMatchObject([{ status: 200 }]);
    expect(performance.now() - begin).toBeLessThan(20_000);
  }
});
