import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCompletionValues } from '../../src/app/completion-values.js';
import { newUser, temporaryDirectory } from '../support/petstore.js';

describe('profileNames', () => {
  test.each([
    ['no file', undefined, []],
    ['two profiles', '{"profiles":{"mine":{},"m2":{}}}', ['m2', 'mine']],
    ['invalid names', '{"profiles":{"$(touch x)":{},"-rf":{},"mine":{}}}', ['mine']],
    ['no JSON', 'profiles: mine', []],
    ['a list', '{"profiles":["no"]}', []],
  ])('returns the built-in profiles and those of a configuration with %s', (_, text, added) => {
    const home = temporaryDirectory();
    if (text !== undefined) writeFileSync(join(home, 'config.json'), text);
    expect(valuesOf(home).profileNames()).toEqual(['sandbox', 'staging', 'production', ...added]);
  });
});

describe('keyLabels', () => {
  test('returns the labels in a database and leaves no file behind', async () => {
    const { home, run } = newUser();
    const env = { PETSTORE_CONFIG_DIR: join(home, 'data') };
    mkdirSync(env.PETSTORE_CONFIG_DIR);
    for (const label of ['ci', 'my "key"']) {
      await run(['serve', 'keys', 'create', '--plan', 'pro', '--label', label], { env });
    }
    const files = readdirSync(env.PETSTORE_CONFIG_DIR);
    const values = valuesOf(env.PETSTORE_CONFIG_DIR, home);
    expect(await values.keyLabels(undefined)).toEqual(['ci', 'my "key"']);
    expect(await values.keyLabels('~/data/store.db')).toEqual(['ci', 'my "key"']);
    expect(readdirSync(env.PETSTORE_CONFIG_DIR)).toEqual(files);
  });

  test.each([['PETSTORE_SERVE_DATABASE', '/nonexistent/postgres.db', /ENOENT/]])(
    'uses %s',
    async (name, value, error) => {
      const home = temporaryDirectory();
      const labels = valuesOf(home, home, { [name]: value }).keyLabels(undefined);
      await (error ? expect(labels).rejects.toThrow(error) : expect(labels).resolves.toEqual([]));
    },
  );

  test('creates no database', async () => {
    const home = temporaryDirectory();
    await expect(valuesOf(home).keyLabels(undefined)).rejects.toThrow('ENOENT');
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([':memory:', 'postgres://u:secret@h/name'])('opens no file for %s', async (database) => {
    expect(await valuesOf(temporaryDirectory()).keyLabels(database)).toEqual([]);
  });
});

function valuesOf(folder: string, home = folder, env: Readonly<Record<string, string>> = {}) {
  return openCompletionValues({
    env: { PETSTORE_CONFIG_DIR: folder, ...env },
    home,
    platform: process.platform,
    nodeVersion: process.versions.node,
  });
}
