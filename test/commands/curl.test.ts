import { expect, test } from 'vitest';
import { formatCurlCommand } from '../../src/commands/curl.js';

const request = {
  method: 'GET',
  origin: 'https://store.example',
  target: '/v1/pets?limit=1',
  headers: { authorization: 'Bearer pets_secret', accept: 'application/json' },
};
const options = { timeoutMs: 30_000, bypassesProxy: false };
const bytes = (text: string) => new TextEncoder().encode(text);

test('formats a request with the API key as a variable', () => {
  expect(formatCurlCommand(request, options)).toBe(
    `curl -q -g -sS --connect-timeout 5 --max-time 30 \\
  -H "Authorization: Bearer $PETSTORE_API_KEY" \\
  -H 'accept: application/json' \\
  'https://store.example/v1/pets?limit=1'
`,
  );
});

test.each([
  ['a change', { method: 'POST', body: bytes('@x') }, '-X POST \\\n', "--data-raw '@x' \\\n"],
  ['HEAD', { method: 'HEAD' }, '--head \\\n', ''],
  ['GET with a body', { body: bytes('{}') }, '-X GET \\\n', "--data-raw '{}'"],
  ['a header with a tab', { headers: { x: 'a\tb' } }, `-H "$(printf 'x: a\\011b')"`, ''],
  [
    'a body that is not UTF-8',
    { method: 'PUT', body: Uint8Array.of(0xff, 0x25) },
    "printf '\\377%%' | curl",
    '--data-binary @-',
  ],
  ['a body with a NUL', { method: 'PUT', body: Uint8Array.of(0x41, 0) }, "printf 'A\\000' | curl", '--data-binary @-'],
])('formats %s', (_, change, ...parts) => {
  const command = formatCurlCommand({ ...request, ...change }, options);
  for (const part of parts) expect(command).toContain(part);
});

test('bypasses the proxy and sets the timeout', () => {
  const command = formatCurlCommand(request, { ...options, timeoutMs: 1_500, bypassesProxy: true });
  expect(command).toContain("--max-time 1.5 \\\n  --noproxy '*' \\\n");
});
