import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';
import { toSlashes } from './stub-unused-imports.js';

/** Licenses that permit redistribution with the text of the license. */
const allowedLicenses = [
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0'],
  ...['ISC', 'MIT', 'Python-2.0'],
];

/**
 * Writes the licenses of all bundled and copied packages to a file. Fails the build if a license is not allowed.
 * `rolldown-license-plugin` only reads the license in the root of a package, but undici contains code with another one.
 */
export const thirdPartyLicenses: Plugin = {
  name: 'third-party-licenses',
  generateBundle(_, bundle) {
    const texts = new Map<string, Set<string>>();
    for (const file of Object.values(bundle)) {
      for (const module of file.type === 'chunk' ? file.moduleIds : file.originalFileNames) {
        const id = toSlashes(module);
        const root = /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0];
        if (root === undefined) continue;
        const { name, version, license } = readPackage(root);
        if (!allowedLicenses.includes(license)) {
          this.error(`${name} ${version} has a license that is not allowed: ${license ?? 'none'}`);
        }
        const title = `${name} ${version} (${license})`;
        const found = [...collectLicenses(dirname(id), root), ...(missingTexts[name] ?? [])];
        if (found.length === 0) this.error(`${name} ${version} comes without its license`);
        // Where webpack puts the licenses of the packages that it bundles.
        if (existsSync(`${id}.LICENSE.txt`)) found.push(readLicense(`${id}.LICENSE.txt`));
        texts.set(title, new Set([...(texts.get(title) ?? []), ...found]));
      }
    }
    const parts = [...texts].sort(([one], [other]) => (one < other ? -1 : 1));
    const source = parts.map(([title, found]) => `${title}\n\n${[...found].join('\n\n')}\n`);
    this.emitFile({
      type: 'asset',
      fileName: 'THIRD-PARTY-LICENSES.txt',
      source: source.join(`\n${'-'.repeat(80)}\n\n`),
    });
  },
};

function readPackage(root: string) {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
}

/** Returns the license texts in a folder of a package and in its parent folders. */
function collectLicenses(folder: string, root: string): string[] {
  const own = readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice)([-.]\w+)?(\.(md|txt))?$/i.test(name))
    .filter((name) => !/\.[jt]s(on)?$/.test(name))
    .map((name) => readLicense(join(folder, name)));
  return folder.length <= root.length ? own : [...collectLicenses(dirname(folder), root), ...own];
}

function readLicense(path: string): string {
  return readFileSync(path, 'utf8').replaceAll('\r', '').trim();
}

const mit = (title: string, copyright: string) => `${title}

${copyright}

Permission is hereby granted, free of charge, to any person obtaining a
copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including
without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the
following conditions:

The above copyright notice and this permission notice shall be included
in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS
OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE
USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** License texts that packages leave out: undici contains the parser llhttp as WebAssembly. */
const missingTexts: Readonly<Record<string, readonly string[]>> = {
  '@redis/client': [mit('MIT License', 'Copyright (c) 2022-2025, Redis, inc.')],
  undici: [mit('llhttp:\n\nThis software is licensed under the MIT License.', 'Copyright Fedor Indutny, 2018.')],
};
