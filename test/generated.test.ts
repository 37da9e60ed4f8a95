import { readdirSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { generateFiles } from '../src/generate.js';
import { readDocs } from './support/docs.js';

const withTables = [...readDocs()].filter(([, text]) => text.includes('<!-- table: '));
const files = generateFiles(packageJson.version, new Map(withTables));

test.each([...files.keys()])('%s matches the command tree (npm run generate)', async (path) => {
  await expect(files.get(path)).toMatchFileSnapshot(`../${path}`);
});

test('man/ contains only generated files and their notes', () => {
  const unexpected = readdirSync('man', { recursive: true, encoding: 'utf8' })
    .map((name) => `man/${name}`)
    .filter((path) => statSync(path).isFile() && !files.has(path) && path !== 'man/notes.md');
  expect(unexpected).toEqual([]);
});
