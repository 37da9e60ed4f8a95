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
