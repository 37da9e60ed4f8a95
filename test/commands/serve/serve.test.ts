import { expect, test } from 'vitest';
import { interrupt } from '../../support/interrupt.js';
import { createTestCli } from '../../support/test-cli.js';

test('serve responds until it shuts down gracefully', async () => {
  const cli = createTestCli();
  const serving = await cli.start(['serve', '--port', '0', '--database', ':memory:', '--json']);
  const { baseUrl, apiKey } = JSON.parse(serving.stdout);
  const env = { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: apiKey };
  const list = await createTestCli().run(['pets', 'list', '--limit', '1', '--no-header'], { env });
  expect(list.stdout).toBe('1  Ada  1  available\n');
  const ended = await serving.end(interrupt);
  expect(ended.exitCode).toBe(0);
  expect(ended.stderr).toMatch(/^\S+Z GET \/v1\/pets 200 \d+ ms \S{36} \S+\n$/);
  expect(ended.stderr.trimEnd().endsWith(` ${apiKey.slice(0, 9)}`)).toBe(true);
});

test('serve warns if it listens on every interface', async () => {
  const args = 'serve --port 0 --host 0.0.0.0 --database :memory: --json';
  const serving = await createTestCli().start(args.split(' '));
  const { stderr } = await serving.end(interrupt);
  expect(stderr).toContain('! the server accepts unencrypted requests from other machines at 0.0.0.0');
});
