import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { createTestCli } from '../support/test-cli.js';

const body = '[{"id":9223372036854775807,"name":"Rex\\u001b[2J \\"1\\"","categoryId":-7,"chip":null}]';

test.each([
  [['pets', 'list', '--json'], '\u001b[1m"id"\u001b[22m: \u001b[95m9223372036854775807\u001b[39m'],
  [['pets', 'list', '-o', 'ndjson'], '\u001b[1m"chip"\u001b[22m:\u001b[95mnull\u001b[39m'],
  [['pets', 'export'], '\u001b[1m"chip"\u001b[22m:\u001b[95mnull\u001b[39m'],
  [['pets', 'get', '1', '--json', '--fields', 'name'], '\u001b[32m"Rex\\u001b[2J \\"1\\""\u001b[39m'],
  [['api', '/pets'], '\u001b[1m"name"\u001b[22m: \u001b[32m"Rex\\u001b[2J \\"1\\""\u001b[39m'],
  [['api', '/pets', '-i'], 'HTTP/1.1 200\n'],
  [['pets', 'list', '--jq', '.[0] | .categoryId, .name'], '\u001b[95m-7\u001b[39m\nRex\\u001b[2J "1"\n'],
])('%j on a terminal is the text of a pipe with color', async (args, highlighted) => {
  // `api -i` prints the date, which changes from one request to the next.
  const headers = { date: 'Mon, 23 Nov 2026 08:09:10 GMT' };
  const { env } = await startCannedServer({ headers, body: args[1] === 'get' ? body.slice(1, -1) : body });
  const terminal = createTestCli({ columns: 80, env });
  const pipe = createTestCli({ env: { ...env, FORCE_COLOR: '1' } });
  const { stdout } = await terminal.run([...args, '-q']);
  expect(stdout).toContain(highlighted);
  const plain = await pipe.run([...args, '-q']);
  expect(stripVTControlCharacters(stdout)).toBe(plain.stdout.replace('Rex\u001b[2J', 'Rex\\u001b[2J'));
  const colorless = await terminal.run([...args, '-q', '--no-color']);
  expect(colorless.stdout).toBe(stripVTControlCharacters(stdout));
});
