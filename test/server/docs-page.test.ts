import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readDocsPage } from '../../src/server/docs-page.js';
import { fakeClock } from '../support/clock.js';
import { makeFolder } from '../support/temp-folder.js';
import { handlerOf, openStore, respondWith } from '../support/test-server.js';

const files = {
  'index.html': '<!doctype html>',
  'page.js': 'run();',
  'page.css': 'body {}',
  'favicon.png': '\u0089PNG',
  'LICENSE.txt': 'MIT',
};

describe('GET', () => {
  test.each([
    ['/docs', 'index.html', 'text/html; charset=utf-8'],
    ['/docs?a=b', 'index.html', 'text/html; charset=utf-8'],
    ['/docs/page.js', 'page.js', 'text/javascript; charset=utf-8'],
    ['/docs/page.css', 'page.css', 'text/css; charset=utf-8'],
    ['/docs/favicon.png', 'favicon.png', 'image/png'],
    ['/docs/LICENSE.txt', 'LICENSE.txt', 'text/plain; charset=utf-8'],
  ] as const)('%s gets %s as %s', async (target, name, type) => {
    const send = await open();
    const response = await send('GET', target);
    expect(response).toMatchObject({ status: 200, headers: { 'content-type': type, 'content-encoding': 'gzip' } });
    expect(gunzipSync(response.body).toString()).toBe(files[name]);
    expect(response.headers['content-length']).toBe(String(response.body.length));
  });

  test.each(['/', '/docs/', '/?a=b'])('%s redirects to /docs', async (target) => {
    const response = await (await open())('GET', target);
    expect(response).toMatchObject({ status: 302, headers: { location: '/docs', 'content-length': '0' } });
  });

  test.each(['/docs/unknown.js', '/docs/../package.json', '/docs/index.html', '/docs.html', '/v1/pets', '//docs'])(
    '%s is left to the API',
    async (target) => {
      expect(await (await open())('GET', target)).toMatchObject({ status: 401 });
    },
  );
});

test.each(['/', '/docs', '/docs/', '/docs/page.js'])('%s rejects other methods', async (target) => {
  const send = await open();
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    expect(await send(method, target)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  }
});

test('the Content-Security-Policy allows only files and requests of this server', async () => {
  const { headers } = await (await open())('GET', '/docs');
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'none'; /);
  expect(policy).toContain("frame-ancestors 'none'");
  const sources = policy.split(/;? /).filter((word) => !word.endsWith('-src') && !/^[a-z]+-[a-z]+$/.test(word));
  expect([...new Set(sources)].sort()).toEqual(["'none'", "'self'", 'data:']);
});

/** Returns a function that sends a request without an API key to a handler with a docs page. */
async function open() {
  const folder = join(await makeFolder(), 'docs');
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.gz`), gzipSync(text));
  const { database } = await openStore();
  const page = await readDocsPage(folder);
  const handle = handlerOf(respondWith({ database, clock: fakeClock(), files: page, onError: () => {} }));
  return (method: string, target: string) => handle({ method, target, headers: {} }, '127.0.0.1');
}
