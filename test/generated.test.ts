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

test.each(['completions', 'man'])('%s/ contains only generated files', (folder) => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const unexpected = names
    .map((name) => `${folder}/${name}`)
    .filter((path) => statSync(path).isFile() && !files.has(path));
  expect(unexpected).toEqual([]);
});
