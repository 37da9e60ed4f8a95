import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { Run } from '../support/petstore.js';
import { createTestCli } from '../support/test-cli.js';
import { expectSafe, hostileText } from '../support/text-samples.js';

const formats = ['table', 'json', 'ndjson', 'yaml', 'csv', 'tsv'] as const;
const columns = 80;
const noWait = ['--max-wait', '0'];

/** Checks both streams of a run. The tabs between TSV columns and in a raw response are allowed. */
function expectInertRun({ stdout, stderr }: Run, args: readonly string[]): void {
  const where = args.join(' ');
  expectSafe(args.includes('tsv') || args[0] === 'api' ? stdout.replaceAll('\t', '') : stdout, `${where}: stdout`);
  expectSafe(stderr, `${where}: stderr`);
}

const petOf = (texts: readonly string[]) => ({
  id: 1,
  name: texts[0],
  categoryId: 7,
  status: texts[1],
  [texts[2] as string]: texts[3],
  nested: { [texts[4] as string]: [texts[5]] },
});

const sixTexts = fc.array(hostileText, { minLength: 6, maxLength: 6 });

describe('data of the service is escaped', () => {
  test.each([
    ['pets list', ['pets', 'list']],
    ['pets get', ['pets', 'get', '1']],
    ['orders list', ['orders', 'list']],
    ['api', ['api', '/anything']],
    ['api with its headers', ['api', '/anything', '-i']],
    ['pets list --fields', ['pets', 'list', '--fields', 'name,status']],
  ])('in the records of %s', async (_, command) => {
    const { env, response } = await startHostile();
    await fc.assert(
      fc.asyncProperty(sixTexts, fc.constantFrom(...formats), async (texts, format) => {
        const pet = petOf(texts);
        const record = JSON.stringify(pet);
        const isOne = command[1] === 'get';
        response.next = { body: isOne ? record : `[${record},${record}]` };
        const args = [...command, '-o', format, '--color', 'never', ...noWait];
        const run = await createTestCli({ columns }).run(args, { env });
        expect(run.exitCode).toBe(0);
        expectInertRun(run, args);
        if (command.includes('--fields') || command.includes('-i')) return;
        const sent = JSON.parse(record);
        if (format === 'json') expect(JSON.parse(run.stdout)).toEqual(isOne ? sent : [sent, sent]);
        if (format === 'yaml') expect(parseYaml(run.stdout)).toEqual(isOne ? sent : [sent, sent]);
        const lines = run.stdout.trimEnd().split('\n');
        if (format === 'ndjson') {
          expect(lines.map((line) => JSON.parse(line))).toEqual(isOne ? [sent] : [sent, sent]);
        }
        if (format === 'csv' || format === 'tsv') expect(lines).toHaveLength(isOne ? 2 : 3);
      }),
      { numRuns: 60 },
    );
  });

  test('in color, which adds only colors', async () => {
    const { env, response } = await startHostile();
    await fc.assert(
      fc.asyncProperty(sixTexts, async (texts) => {
        const pets = [{ id: 1, name: texts[0], categoryId: 7, status: texts[1] }];
        response.next = { body: JSON.stringify([...pets, { ...pets[0], status: 'available' }]) };
        const show = async (mode: string) => {
          const args = ['pets', 'list', '--color', mode, ...noWait];
          return createTestCli({ columns }).run(args, { env });
        };
        const [plain, colored] = [await show('never'), await show('always')];
        expectInertRun(plain, []);
        expect(colored.stdout).toContain('\u001b[32mavailable\u001b[39m');
        expect(withoutColors(colored.stdout)).toBe(plain.stdout);
        expect(withoutColors(colored.stderr)).toBe(plain.stderr);
      }),
      { numRuns: 60 },
    );
  });

  test('in errors of every command and format', async () => {
    const { env, response } = await startHostile();
    const commands = [
      ['pets', 'list'],
      ['pets', 'get', '1'],
      ['pets', 'add', '--name', 'Rex', '--category-id', '1'],
      ['api', '/anything'],
      ['doctor'],
      ['auth', 'status', '--check'],
      ['quota', '--refresh'],
    ];
    await fc.assert(
      fc.asyncProperty(
        sixTexts,
        fc.constantFrom(...commands),
        fc.constantFrom(...formats),
        fc.constantFrom(400, 401, 403, 404, 410, 418, 429),
        fc.boolean(),
        async ([message, code, detail, title], command, format, status, long) => {
          const text = long ? `${'x'.repeat(490)}${message}` : message;
          response.next = { status, body: JSON.stringify({ code, message: text, detail, title }) };
          const args = [...command, '-o', format, '--color', 'never', '-v', ...noWait];
          const run = await createTestCli({ columns }).run(args, { env });
          expectInertRun(run, args);
          // doctor succeeds after a 429, since the service is reachable.
          if (format === 'table' || run.exitCode === 0) return;
          const last = run.stderr.trimEnd().split('\n').at(-1) as string;
          expect(JSON.parse(last).error.exitCode).toBe(run.exitCode);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('in a body that is not JSON', async () => {
    const { env, response } = await startHostile();
    await fc.assert(
      fc.asyncProperty(
        hostileText,
        fc.uint8Array({ maxLength: 20 }),
        fc.constantFrom(['pets', 'list'], ['api', '/x'], ['api', '/x', '-i'], ['orders', 'list']),
        async (text, bytes, command) => {
          response.next = { body: Buffer.concat([Buffer.from(`<html>${text}`), bytes]) };
          const args = [...command, '--color', 'never', '--verbose', ...noWait];
          expectInertRun(await createTestCli({ columns }).run(args, { env }), args);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('in headers', async () => {
    const { env, response } = await startHostile();
    // The HTTP parser reads headers as Latin-1, so that they may contain C1 control characters.
    const value = fc.string({
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((code) => code !== 0x7f)
        .map((code) => String.fromCharCode(code)),
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          ...['link', 'location', 'content-type', 'date', 'retry-after', 'deprecation', 'sunset'],
          ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-other'],
        ),
        value,
        fc.constantFrom(200, 302, 400, 429),
        fc.constantFrom(
          ['pets', 'list'],
          ['pets', 'list', '--all'],
          ['api', '/x', '-i'],
          ['doctor'],
          ['quota', '--refresh'],
        ),
        async (name, text, status, command) => {
          response.next = { status, headers: `${name}: ${text}\r\n` };
          const args = [...command, '-v', '--color', 'never', ...noWait];
          expectInertRun(await createTestCli({ columns }).run(args, { env }), args);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('data of the user is escaped', () => {
  test('in invalid arguments, flags and variables', async () => {
    const commandLines: readonly ((text: string) => readonly [string[], Record<string, string>?])[] = [
      (text) => [[text]],
      (text) => [['pets', text]],
      (text) => [['help', text]],
      (text) => [['pets', 'list', `--${text}`]],
      (text) => [['pets', 'list', '--status', text]],
      (text) => [['pets', 'list', '--limit', text]],
      (text) => [['pets', 'list', '--fields', text]],
      (text) => [['pets', 'list', '-o', text]],
      (text) => [['pets', 'list', '-p', text]],
      (text) => [['pets', 'list', '--base-url', text]],
      (text) => [['pets', 'get', text]],
      (text) => [['pets', 'add', '--category-id', '1', '--name', text]],
      (text) => [['pets', 'import', text]],
      (text) => [['config', 'get', text]],
      (text) => [['config', 'set', 'profile', text]],
      (text) => [['profile', 'set', text]],
      (text) => [['profile', 'use', text]],
      (text) => [['api', text, '--base-url', 'http://127.0.0.1:1/v1']],
      (text) => [['api', '/x', '-H', text]],
      (text) => [['serve', '--host', text]],
      (text) => [['pets', 'list'], { [`PETSTORE_${text}`]: '1' }],
      (text) => [['doctor'], { PETSTORE_PROFILE: text }],
      (text) => [['pets', 'list'], { PETSTORE_OUTPUT: text }],
      (text) => [['doctor'], { PETSTORE_BASE_URL: text, PETSTORE_API_KEY: 'k' }],
      (text) => [['doctor'], { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1', PETSTORE_API_KEY: text }],
      (text) => [['doctor'], { PETSTORE_API_KEY_FILE: text }],
      (text) => [['config', 'list'], { PETSTORE_TIMEOUT: text }],
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...commandLines),
        hostileText.map((text) => text.replaceAll('\0', '') || '\u001b[2J'),
        fc.constantFrom('table', 'json'),
        async (commandLine, text, format) => {
          const [words, env = {}] = commandLine(text);
          const args = [...words, '--no-input', '--timeout', '1', ...noWait];
          if (!words.includes('-o')) args.push('-o', format);
          const run = await createTestCli({ columns }).run(args, {
            env: { NO_COLOR: '1', ...env },
          });
          expectInertRun(run, args);
        },
      ),
      { numRuns: 300 },
    );
  }, 60_000);

  test('in configuration files', async () => {
    await fc.assert(
      fc.asyncProperty(
        sixTexts,
        fc.constantFrom(
          ['profile', 'list'],
          ['config', 'list'],
          ['config', 'get', 'profile'],
          ['auth', 'status', '-p', 'staging'],
          ['pets', 'list', '-p', 'staging'],
          ['quota', '-p', 'staging'],
          ['doctor'],
        ),
        fc.constantFrom(...formats),
        async (texts, command, format) => {
          const cli = createTestCli({ columns });
          const directory = join(cli.home, '.config/petstore');
          mkdirSync(directory, { recursive: true, mode: 0o700 });
          const [baseUrl, name = '', value, key, origin, setting = ''] = texts;
          const file = {
            settings: { profile: value, [setting]: value },
            profiles: { staging: { baseUrl }, [name]: { baseUrl } },
          };
          writeFileSync(join(directory, 'config.json'), JSON.stringify(file), { mode: 0o600 });
          const keys = { keys: { staging: { key, origin } }, staging: { key, origin } };
          writeFileSync(join(directory, 'credentials.json'), JSON.stringify(keys), { mode: 0o600 });
          const args = [...command, '-o', format, '--color', 'never', '--timeout', '1', ...noWait];
          expectInertRun(await cli.run(args), args);
        },
      ),
      { numRuns: 200 },
    );
  }, 60_000);
});

interface RawResponse {
  readonly status?: number;
  /** Header lines, sent as Latin-1. */
  readonly headers?: string;
  readonly body?: string | Uint8Array;
}

/** Starts a service that sends any `response.next` and closes the connection. */
async function startHostile() {
  const response: { next: RawResponse } = { next: {} };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      const { status = 200, headers = '', body = '[]' } = response.next;
      const length = `content-length: ${Buffer.byteLength(body)}\r\n`;
      const head = `HTTP/1.1 ${status} OK\r\n${headers}${length}connection: close\r\n\r\n`;
      socket.write(head, 'latin1');
      socket.end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = {
    PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`,
    PETSTORE_API_KEY: 'pets_canary_0123456789',
  };
  return { env, response };
}

/** Removes the colors that petstore writes. */
function withoutColors(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are escape sequences
  return text.replace(/\u001b\[(?:1|2|22|31|32|33|90|39)m/g, '');
}
