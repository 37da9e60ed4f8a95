import { readFileSync } from 'node:fs';
import type { Plugin } from 'rolldown';

/**
 * What packages bring along and petstore never uses, though it would load it with every command, or does at less
 * cost: file by file of their insides, which is why their versions are pinned and `test/bundle.test.ts` looks at
 * what is left.
 */
const replacements: readonly {
  readonly package: string;
  readonly id: RegExp;
  readonly code: string;
}[] = [
  // For commands that are programs of their own; a fifth of the start.
  { package: 'commander', id: /^node:child_process$/, code: 'module.exports = {};' },
  // Off by default, and it loads node:http2.
  { package: 'undici', id: /\/client-h2\.js$/, code: 'module.exports = {};' },
  // For bodies that are forms; here they are bytes.
  { package: 'undici', id: /\/web\/fetch\/body\.js$/, code: 'module.exports = {};' },
  // Asked for a class that no stream here has, and for a bound that is always given.
  {
    package: 'undici',
    id: /^node:http$/,
    code: 'module.exports = { IncomingMessage: class {}, maxHeaderSize: 16384 };',
  },
  // The whole of it makes process.stderr before anybody writes there.
  {
    package: 'undici',
    id: /^node:assert$/,
    code: "module.exports = (value, message = 'undici is in a state that it must not be in') => { if (!value) throw message instanceof Error ? message : new Error(message); };",
  },
  // It reads directories to find the file for this machine, which mostly has this name.
  {
    package: '@photostructure/sqlite',
    id: /^node-gyp-build$/,
    code: `const { join } = require('node:path');
    module.exports = () => {
      const root = join(require.resolve('@photostructure/sqlite/package.json'), '..');
      const folder = join(root, 'prebuilds', process.platform + '-' + process.arch);
      try {
        return require(join(folder, '@photostructure+sqlite.glibc.node'));
      } catch {
        return require(require.resolve('node-gyp-build', { paths: [root] }))(root);
      }
    };`,
  },
];

/** A path as the plugins compare it, on Windows too. */
export function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

/** With what the names of files begin that stand for a package's own. */
export function standIns(name: string): string {
  return `\0unused:${name}/`;
}

export const withoutUnused: Plugin = {
  name: 'without-unused',
  resolveId: (id, from = '') => {
    const importer = slashed(from);
    const index = replacements.findIndex(
      (one) => importer.includes(`/node_modules/${one.package}/`) && one.id.test(id),
    );
    if (index !== -1) return `${standIns(replacements[index]?.package ?? '')}${index}.cjs`;
    // The parser for machines without SIMD is a file of its own, read where it is needed.
    const isFallback = importer.includes('/node_modules/undici/') && id.endsWith('/llhttp-wasm.js');
    return isFallback ? { id: './llhttp.cjs', external: true } : null;
  },
  load: (id) => {
    const index = /^\0unused:.+\/(\d+)\.cjs$/.exec(id)?.[1];
    return index === undefined ? null : (replacements[Number(index)]?.code ?? null);
  },
  generateBundle() {
    const source = readFileSync('node_modules/undici/lib/llhttp/llhttp-wasm.js', 'utf8');
    this.emitFile({ type: 'asset', fileName: 'llhttp.cjs', source });
  },
};
