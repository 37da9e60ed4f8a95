import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { bareEnv, binary, copyAlone, newUser, node, temporaryDirectory } from '../support/petstore.js';
import { startServeCommand, startServeProcess } from '../support/serve-process.js';

test('serve --metrics-port serves GET /metrics without an API key, on that port only', async () => {
  const user = newUser();
  const served = await startServeProcess('--metrics-port', '0');
  await user.run(['pets', 'list', '--limit', '1'], { env: served.env });
  const page = await (await fetch(served.metricsUrl)).text();
  expect(page).toContain('petstore_requests_total{method="GET",operation="listPets",status="200"} 1\n');
  expect(page).toContain('process_resident_memory_bytes');
  expect(page).not.toContain(served.apiKey);
  expect((await fetch(new URL('/metrics', served.baseUrl))).status).toBe(401);
  expect((await served.stop()).exitCode).toBe(0);
});

test('serve names --metrics-port if its port is in use', async () => {
  const { port } = new URL((await startServeProcess()).baseUrl);
  const { stderr, exitCode } = await newUser().run([
    'serve',
    '--port',
    '0',
    '--metrics-port',
    port,
    '--database',
    ':memory:',
  ]);
  expect(stderr).toBe(
    `error: 127.0.0.1:${port} is already in use\n` +
      '  hint: pass another --metrics-port, or --metrics-port 0 for any free port\n',
  );
  expect(exitCode).toBe(1);
});

test('only serve --metrics-port needs prom-client', async () => {
  const copy = join(copyWithSqliteOnly(), 'bin', 'petstore.js');
  const { stderr, exitCode } = await execa(
    node,
    [copy, 'serve', '--metrics-port', '0', '--port', '0', '--database', ':memory:'],
    { env: bareEnv(temporaryDirectory()), extendEnv: false, reject: false },
  );
  expect(stderr).toBe(
    'error: the optional package prom-client is not installed\n' +
      '  hint: reinstall petstore with --include=optional, or remove --metrics-port',
  );
  expect(exitCode).toBe(1);
  const served = await startServeCommand([node, copy]);
  expect((await served.stop()).exitCode).toBe(0);
});

/** Returns a copy of petstore whose only optional package is SQLite. */
function copyWithSqliteOnly(): string {
  const folder = copyAlone();
  const packages = 'node_modules/@photostructure';
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(binary, '../..', packages), join(folder, packages));
  return folder;
}
