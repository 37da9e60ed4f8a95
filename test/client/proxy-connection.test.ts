import { expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { openProxy } from '../support/proxy.js';
import { createTestCli } from '../support/test-cli.js';

const key = 'pets_canary_0123456789';
const list = ['pets', 'list', '--json'];
const env = (rest: Readonly<Record<string, string>>, baseUrl = 'http://store.test/v1') => ({
  PETSTORE_ALLOW_HTTP: '1',
  PETSTORE_API_KEY: key,
  PETSTORE_BASE_URL: baseUrl,
  ...rest,
});

test('requests to an https origin are encrypted through the proxy', async () => {
  // It answers the TLS handshake with an HTTP error.
  const service = await startCannedServer({});
  const proxy = await openProxy(service);
  const { exitCode } = await createTestCli().run(['pets', 'list', '--json'], {
    env: env({ HTTPS_PROXY: `http://${proxy.address}` }, 'https://store.test/v1'),
  });
  expect(exitCode).toBe(8);
  expect(proxy.asked[0]?.target).toBe('store.test:443');
  const [type, major] = proxy.sent();
  expect([type, major]).toEqual([0x16, 0x03]);
  expect(proxy.sent().toString('latin1')).toContain('store.test');
  expect(proxy.sent().toString('latin1')).not.toContain('canary');
});

test.each([
  ['*', false],
  ['store.invalid', false],
  ['other.test, store.invalid', false],
  ['store.invalid:81', true],
  ['tore.invalid', true],
  ['', true],
])('NO_PROXY=%j uses the proxy for store.invalid: %s', async (noProxy, proxied) => {
  const service = await startCannedServer({ body: '[]' });
  const proxy = await openProxy(service);
  const { exitCode } = await createTestCli().run(list, {
    env: env({ HTTP_PROXY: `http://${proxy.address}`, NO_PROXY: noProxy }, 'http://store.invalid/v1'),
  });
  expect(exitCode).toBe(proxied ? 0 : 8);
  expect(proxy.asked).toHaveLength(proxied ? 1 : 0);
});
