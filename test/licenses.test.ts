import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { thirdPartyLicenses } from '../release/third-party-licenses.js';
import config from '../rolldown.config.js';
import { temporaryDirectory } from './support/petstore.js';

const file = 'THIRD-PARTY-LICENSES.txt';

test('the bundle includes the license of every package in it', async () => {
  const bundle = await rolldown(config as object);
  const { output } = await bundle.generate((config as { output: object }).output);
  const modules = output.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : one.originalFileNames));
  const roots = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []);
  const titles = [...new Set(roots)].map((root) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return `${name} ${version} (${license})`;
  });
  expect(titles.length).toBeGreaterThan(50);
  const parts = readFileSync(join('dist', file), 'utf8').split(`\n${'-'.repeat(80)}\n\n`);
  expect(parts.map((part) => part.split('\n')[0])).toEqual([...new Set(titles)].sort());
  for (const part of parts) expect(part).toMatch(/copyright/i);
});

test.each([
  ['llhttp, which undici contains', 'Copyright Fedor Indutny, 2018.'],
  ['classnames, which Swagger UI contains', 'Copyright (c) 2018 Jed Watson.'],
])('the bundle includes the license of %s', (_, copyright) => {
  expect(readFileSync(join('dist', file), 'utf8')).toContain(copyright);
});

test('a package without a license file fails the build', async () => {
  await expect(bundleLicenses({ license: 'ISC' })).rejects.toThrow('guest 1.2.3 comes without its license');
});

test.each([
  ['GPL-3.0-only', 'GPL-3.0-only'],
  [undefined, 'none'],
])('the license %s fails the build', async (license, name) => {
  await expect(bundleLicenses({ license })).rejects.toThrow(`guest 1.2.3 has a license that is not allowed: ${name}`);
});

/** Resolves to the licenses file of a bundle with one package. */
async function bundleLicenses(description: object): Promise<unknown> {
  const folder = temporaryDirectory();
  const root = join(folder, 'node_modules/guest');
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'guest', version: '1.2.3', ...description }));
  writeFileSync(join(root, 'index.js'), 'export default 1;');
  writeFileSync(join(folder, 'main.js'), "export { default } from 'guest';");
  const bundle = await rolldown({
    input: join(folder, 'main.js'),
    cwd: folder,
    plugins: [thirdPartyLicenses],
  });
  const { output } = await bundle.generate({});
  const asset = output.find(({ fileName }) => fileName === file);
  return asset?.type === 'asset' ? asset.source : undefined;
}
