import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { generateFiles } from '../src/generate.js';

const files = generateFiles(packageJson.version, readFileSync('README.md', 'utf8'));

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
