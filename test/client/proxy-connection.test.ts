import { expect, test } from 'vitest';
import { startAnswering } from '../support/answers.js';
import { openProxy } from '../support/proxy.js';
import { closedPort, openWire } from '../support/wire.js';
import { newWorld } from '../support/world.js';

const key = 'pets_canary_0123456789';
const list = ['pets', 'list', '--json', '--timeout', '5'];
const env = (rest: Readonly<Record<string, string>>, baseUrl = 'http://store.test/v1') => ({
  PETSTORE_ALLOW_HTTP: '1',
  PETSTORE_API_KEY: key,
  PETSTORE_BASE_URL: baseUrl,
  ...rest,
});

test('a name that only the proxy knows is reached through a tunnel', async () => {
  const service = await startAnswering({ body: '[]' });
  const proxy = await openProxy(service);
  const { stdout, exitCode } = await newWorld().run(list, {
    env: env({ HTTP_PROXY: `http://${proxy.address}` }),
  });
  expect({ stdout, exitCode }).toEqual({ stdout: '[]\n', exitCode: 0 });
  expect(proxy.asked.map(({ target }) => target)).toEqual(['store.test:80']);
  expect(service.requests).toMatchObject([
    { url: '/v1/pets', headers: { host: 'store.test', authorization: `Bearer ${key}` } },
  ]);
  expect(proxy.asked[0]?.headers).not.toHaveProperty('authorization');
});

test('a create goes through a tunnel of its own', async () => {
  const created = { status: 201, body: '{"id":1,"name":"Rex","categoryId":1,"status":"sold"}' };
  const service = await startAnswering(created);
  const proxy = await openProxy(service);
  const args = ['pets', 'add', '--name', 'Rex', '--category-id', '1', '--status', 'sold', '--json'];
  const { exitCode } = await newWorld().run(args, {
    env: env({ http_proxy: proxy.address }),
  });
  expect(exitCode).toBe(0);
  expect(service.requests).toMatchObject([{ method: 'POST', url: '/v1/pets' }]);
  expect(proxy.asked).toHaveLength(1);
});

test('what goes to an https origin is encrypted for it, so that the proxy sees no key', async () => {
  const wire = await openWire((socket) => socket.end());
  const proxy = await openProxy(wire);
  const running = newWorld().run([...list.slice(0, 3), '--timeout', '0.3'], {
    env: env({ HTTPS_PROXY: `http://${proxy.address}` }, 'https://store.test/v1'),
  });
  expect((await running).exitCode).toBe(8);
  expect(proxy.asked[0]?.target).toBe('store.test:443');
  const [type, major] = proxy.sent();
  expect([type, major]).toEqual([0x16, 0x03]);
  expect(proxy.sent().toString('latin1')).toContain('store.test');
  expect(proxy.sent().toString('latin1')).not.toContain('canary');
});

test('user and password of the proxy go to the proxy alone, and are never shown', async () => {
  const service = await startAnswering({ body: '[]' });
  const proxy = await openProxy(service);
  const { stdout, stderr, exitCode } = await newWorld().run([...list, '-v', '--debug'], {
    env: env({ HTTP_PROXY: `http://jane:hunter%32@${proxy.address}` }),
  });
  expect(exitCode).toBe(0);
  const credentials = Buffer.from('jane:hunter2').toString('base64');
  expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(`Basic ${credentials}`);
  expect(service.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  expect(`${stdout}${stderr}`).not.toMatch(/hunter|jane|canary/);
  expect(`${stdout}${stderr}`).not.toContain(credentials);
});

const unreachable = {
  code: 'proxy_failed',
  message: 'store.test is behind a proxy that cannot be reached, or will not lead there',
};

test.each([
  [
    407,
    {
      code: 'proxy_authentication',
      message: 'store.test is behind a proxy that asks for a user and a password (407)',
    },
  ],
  [403, unreachable],
  [502, unreachable],
])('a proxy that answers %i is told apart from the service', async (status, error) => {
  const proxy = await openProxy({ status });
  for (const args of [list, [...list, '-v', '--debug']]) {
    const { stdout, stderr, exitCode } = await newWorld().run(args, {
      env: env({ HTTP_PROXY: `http://jane:hunter2@${proxy.address}` }),
    });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 8 });
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) as string)).toMatchObject({ error });
    expect(stderr).not.toMatch(/hunter|jane|canary/);
  }
});

test('a create that the proxy refuses was surely not sent', async () => {
  const proxy = await openProxy({ status: 403 });
  const args = ['pets', 'add', '--name', 'Rex', '--category-id', '1', '--status', 'sold', '--json'];
  const { exitCode } = await newWorld().run(args, {
    env: env({ HTTP_PROXY: `http://${proxy.address}` }),
  });
  expect(exitCode).toBe(8);
});

test('a proxy that cannot be reached is told apart too', async () => {
  const nobody = await closedPort();
  const { stderr, exitCode } = await newWorld().run(list, {
    env: env({ HTTP_PROXY: nobody.replace('//', '//jane:hunter2@') }),
  });
  expect(exitCode).toBe(8);
  expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) as string)).toMatchObject({
    error: unreachable,
  });
  expect(stderr).not.toMatch(/hunter|jane/);
});

test.each([
  ['*', false],
  ['store.invalid', false],
  ['.store.invalid', false],
  ['other.test, store.invalid', false],
  ['invalid', false],
  ['store.invalid:80', false],
  ['STORE.INVALID', false],
  ['store.invalid:81', true],
  ['tore.invalid', true],
  ['', true],
])(
  'where NO_PROXY is %j, store.invalid is asked for through the proxy: %s',
  async (none, proxied) => {
    const service = await startAnswering({ body: '[]' });
    const proxy = await openProxy(service);
    const { exitCode } = await newWorld().run(list, {
      env: env(
        { HTTP_PROXY: `http://${proxy.address}`, NO_PROXY: none },
        'http://store.invalid/v1',
      ),
    });
    expect(exitCode).toBe(proxied ? 0 : 8);
    expect(proxy.asked).toHaveLength(proxied ? 1 : 0);
  },
);

test('this machine is never asked for through a proxy', async () => {
  const service = await startAnswering({ body: '[]' });
  const proxy = await openProxy({ status: 403 });
  const { exitCode } = await newWorld().run(list, {
    env: env({ HTTP_PROXY: `http://${proxy.address}` }, `${service.origin}/v1`),
  });
  expect(exitCode).toBe(0);
  expect(proxy.asked).toEqual([]);
});

test.each(['socks5://jane:hunter2@proxy.test:1080', 'http://jane:hunter2%zz@proxy.test:3128'])(
  'an address of a proxy that is none is refused before anything is sent, and not repeated',
  async (address) => {
    const { stdout, stderr, exitCode } = await newWorld().run([...list, '-v', '--debug'], {
      env: env({ HTTP_PROXY: address }),
    });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain('HTTP_PROXY');
    expect(stderr).not.toMatch(/hunter|jane|socks5|zz/);
  },
);

test('the proxy of one scheme is not asked for the other', async () => {
  const service = await startAnswering({ body: '[]' });
  const [right, wrong] = [await openProxy(service), await openProxy({ status: 403 })];
  const { exitCode } = await newWorld().run(list, {
    env: env({ HTTP_PROXY: right.address, HTTPS_PROXY: wrong.address }),
  });
  expect(exitCode).toBe(0);
  expect([right.asked.length, wrong.asked.length]).toEqual([1, 0]);
});
