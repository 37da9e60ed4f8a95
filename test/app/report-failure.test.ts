import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { startCannedServer } from '../support/http-server.js';
import { createTestCli } from '../support/test-cli.js';

const red = '\u001b[91m';

describe('a usage error', () => {
  test.each([
    [['--color', 'never'], false],
    [['--color=never'], false],
    [['--no-color'], false],
    [['--color', 'always'], true],
    [['--color', 'pink'], true],
    [[], true],
    [['--', '--color', 'never'], true],
  ])('with %j on a terminal has color: %s', async (flags, hasColor) => {
    const { stderr, exitCode } = await createTestCli({ columns: 80 }).run(['pets', 'lst', ...flags]);
    expect(exitCode).toBe(2);
    expect(stderr.includes(red)).toBe(hasColor);
  });

  test('obeys the saved color mode unless a flag overrides it', async () => {
    const cli = createTestCli({ columns: 80 });
    await cli.run(['config', 'set', 'color', 'never']);
    expect((await cli.run(['pets', 'lst'])).stderr).not.toContain(red);
    expect((await cli.run(['pets', 'lst', '--color', 'always'])).stderr).toContain(red);
  });
});

describe('the output format of a usage error', () => {
  const line = ['pets', 'list', '--limit', 'x'];

  /** Returns a petstore with a profile for each of two formats. */
  async function newCli() {
    const cli = createTestCli();
    await cli.run(['profile', 'set', 'people', '--output', 'table']);
    await cli.run(['profile', 'set', 'programs', '--output', 'json']);
    return cli;
  }

  test.each([
    ['the saved format', ['config', 'set', 'output', 'json']],
    ['that of the current profile', ['profile', 'use', 'programs']],
  ])('is %s', async (_, command) => {
    const cli = await newCli();
    expect((await cli.run(line)).stderr).toMatch(/^error: /);
    await cli.run(command);
    expect(JSON.parse((await cli.run(line)).stderr).error.code).toBe('invalid_flag');
    expect(JSON.parse((await cli.run(['pets', 'lst'])).stderr).error.code).toBe('unknown_command');
    expect((await cli.run([...line, '--output', 'table'])).stderr).toMatch(/^error: /);
  });

  test('is that of the profile that a flag or a variable chooses', async () => {
    const cli = await newCli();
    await cli.run(['config', 'set', 'output', 'csv']);
    expect((await cli.run([...line, '-p', 'people'])).stderr).toMatch(/^error: /);
    expect((await cli.run(line, { env: { PETSTORE_PROFILE: 'people' } })).stderr).toMatch(/^error: /);
    expect((await cli.run([...line, '-p', 'programs'])).stderr).toMatch(/^\{"error"/);
    expect((await cli.run(line, { env: { PETSTORE_OUTPUT: 'json' } })).stderr).toMatch(/^\{"error"/);
  });

  test.each(['{ broken', '[]', '{"settings":{"output":["json"],"profile":7}}', '{"profiles":{"sandbox":null}}'])(
    'is a table with the configuration %s',
    async (content) => {
      const cli = createTestCli();
      mkdirSync(join(cli.home, '.config/petstore'), { recursive: true });
      writeFileSync(join(cli.home, '.config/petstore/config.json'), content);
      expect(await cli.run(line)).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^error: --limit/) });
    },
  );
});

describe('an error of --jq', () => {
  test.each([
    ['a program that does not compile', '.['],
    ['a program that fails', '.[0].name.x'],
  ])('is plain text on a terminal: %s', async (_, program) => {
    const { stderr, exitCode } = await createTestCli({ columns: 80 }).run(['pets', 'list', '--jq', program]);
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toMatch(/error:/);
    expect(stderr).not.toContain('{"error"');
  });

  test('is JSON in a pipe', async () => {
    const { stderr } = await createTestCli().run(['pets', 'list', '--jq', '.[']);
    expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code).toBe('invalid_flag');
  });
});

describe('--verbose', () => {
  const clock = {
    ...systemClock,
    sleep: () => {
      throw new TypeError('x is not a function', { cause: new Error('the cause') });
    },
  };

  test('prints the stack of an unexpected error and of its cause', async () => {
    const { env } = await startCannedServer({ body: '[]' });
    const { stderr } = await createTestCli({ clock, env }).run(['pets', 'list', '-v']);
    expect(stderr).toMatch(
      /TypeError: x is not a function\n {4}at .*Error: the cause\n {4}at .*error: unexpected error/s,
    );
    const short = await createTestCli({ clock, env }).run(['pets', 'list']);
    expect(short.stderr).not.toMatch(/\n {4}at /);
  });

  test('prints requests and responses, but no stack of an error that petstore knows', async () => {
    const { stderr } = await createTestCli().run(['pets', 'get', '99999', '-v']);
    expect(stderr).toMatch(/> GET .*\/pets\/99999\n< 404/);
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});
