import { expect, test } from 'vitest';
import { startServeProcess } from '../support/serve-process.js';

test('a server shows the API reference page at its address', async () => {
  const { baseUrl } = await startServeProcess();
  const page = await fetch(new URL('/', baseUrl));
  expect({ url: page.url, status: page.status }).toEqual({ url: new URL('/docs', baseUrl).href, status: 200 });
  const html = await page.text();
  const files = [...html.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, path]) => String(path));
  expect(files).toContain('/docs/swagger-ui-bundle.js');
  for (const path of files) {
    const response = await fetch(new URL(path, baseUrl));
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
  }
});

test('the API reference page needs at most 1.5 MB', async () => {
  const { baseUrl } = await startServeProcess();
  const html = await (await fetch(new URL('/docs', baseUrl))).text();
  const files = [...html.matchAll(/(?:href|src)="(\/docs\/[^"]*)"/g)].map(([, path]) => String(path));
  const sizes = files.map(async (path) => {
    const { headers } = await fetch(new URL(path, baseUrl), { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } });
    return Number(headers.get('content-length'));
  });
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(100_000);
  expect(total).toBeLessThan(1_500_000);
});
