import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorCodes } from '../../src/error-codes.js';
import { createTestCli } from '../support/test-cli.js';

/** Runs a command line that must be rejected before anything is sent; returns what stderr shows. */
async function reject(line: string): Promise<string> {
  const { stdout, stderr, exitCode } = await createTestCli().run(line.split(' '));
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  return stderr;
}

test.each([
  ['pets list --sttaus=sold', 'unknown flag --sttaus', 'did you mean "--status"?'],
  ['pets list --sttaus sold', 'unknown flag --sttaus', 'did you mean "--status"?'],
  ['pets list --profil staging', 'unknown flag --profil', 'did you mean "--profile"?'],
  ['--jsno pets list', 'unknown flag --jsno', 'did you mean "--json"?'],
  ['pets list --unicorn', 'unknown flag --unicorn', 'run petstore pets list --help'],
  ['pets list --json=x', '--json takes no value', 'pass --json without a value'],
  ['pets list --all=1', '--all takes no value', 'pass --all without a value'],
  ['--quiet=1 pets list', '--quiet takes no value', 'pass --quiet without a value'],
  ['pets list --output', '--output needs a value', 'pass one of table, json, ndjson, yaml, csv, tsv'],
  ['pets list -p', '--profile needs a value', 'pass --profile <name>'],
  ['pets list dogs', 'petstore pets list takes no arguments', 'run petstore pets list --help'],
  ['profile use a b', 'petstore profile use takes at most 1 argument', 'run petstore profile use --help'],
  ['sandbox plan', 'petstore sandbox plan needs the argument <plan>', 'pass one of free, pro, business, enterprise'],
  ['pets import', 'petstore pets import needs the argument <file>', 'run petstore pets import <file>'],
])('%s reports "%s"', async (line, message, hint) => {
  expect(await reject(line)).toBe(`error: ${message}\n  hint: ${hint}\n`);
});

test.each([
  ['pest', 'petstore pets'],
  ['pets lst', 'petstore pets list'],
  ['list', 'petstore pets list'],
  ['login', 'petstore auth login'],
  ['status', 'petstore auth status'],
  ['version', 'petstore --version'],
  ['pets show', 'petstore pets get'],
  ['pets create', 'petstore pets add'],
  ['pets new', 'petstore pets add'],
  ['profile add', 'petstore profile set'],
  ['profile create', 'petstore profile set'],
  ['config show', 'petstore config list'],
  ['profile remvoe', 'petstore profile remove'],
  ['auth logot', 'petstore auth logout'],
])('%s suggests %s', async (line, command) => {
  const word = line.split(' ').at(-1);
  expect(await reject(line)).toBe(`error: unknown command "${word}"\n  hint: did you mean "${command}"?\n`);
});

test.each([
  ['profile rename', 'remove'],
  ['profile improve', 'remove'],
  ['sandbox test', 'reset'],
  ['serve keys invoke', 'revoke'],
])('%s does not suggest the destructive %s', async (line, command) => {
  expect(await reject(line)).not.toContain(command);
});

test.each(['auth login --with-key=pets_SECRET', 'auth login --with-key pets_SECRET', 'auth login -xpets_SECRET'])(
  '%s does not repeat the value',
  async (line) => {
    expect(await reject(line)).not.toContain('SECRET');
  },
);

test('every error code occurs in the source', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && name !== 'error-codes.ts',
  );
  const source = files.map((name) => readFileSync(join('src', name), 'utf8')).join('\n');
  const unused = Object.keys(errorCodes).filter(
    (code) => !new RegExp(`\\b${code.replace('database_', '')}\\b`).test(source),
  );
  expect(unused).toEqual([]);
});
