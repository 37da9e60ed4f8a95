import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bunVersion } from './runtimes.js';

/** Returns the licenses of petstore's bundle, of the packages that Bun adds from the inputs, and of Bun itself. */
export function collectLicenses(stage, inputs) {
  const roots = new Set(inputs.flatMap((id) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
  const licenses = [...roots].map((root) => readPackageLicense(join(stage, root)));
  const texts = [...licenses.sort(), readBunLicenses()];
  const bundled = readFileSync(join(stage, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  return [bundled, ...texts].join(`\n${'-'.repeat(80)}\n\n`);
}

function readPackageLicense(root) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = readdirSync(root).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  if (!license) throw new Error(`${name} ${version} names no license`);
  const text = files.map((file) => readFileSync(join(root, file), 'utf8').trim()).join('\n\n');
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** Returns the licenses of Bun and the libraries that it links: its package comes without them. */
function readBunLicenses() {
  const [bun, lgpl] = ['bun-license.txt', 'lgpl-2.1.txt'].map((name) =>
    readFileSync(join(import.meta.dirname, name), 'utf8'),
  );
  return `Bun ${bunVersion} (https://github.com/oven-sh/bun/blob/bun-v${bunVersion}/LICENSE.md)\n\n${bun.replaceAll('<version>', bunVersion)}\n${lgpl}`;
}
