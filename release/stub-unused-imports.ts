import type { Plugin } from 'rolldown';

interface Stub {
  readonly package: string;
  /** Matches the import as the package writes it. */
  readonly id: RegExp;
  readonly code: string;
}

/**
 * Imports of packages that petstore never uses but would load. A stub must save at least 3 % of the CPU time of
 * `pets list` or, for commander, of `--help`. The figures are for Node.js 20 and 24.
 */
const stubs: readonly Stub[] = [
  // node:child_process starts commands that are separate programs. Saves 8 % and 10 % of `--help`.
  {
    package: 'commander',
    id: /^node:child_process$/,
    code: 'module.exports = {};',
  },
  // HTTP/2, which is disabled; it loads node:http2. Saves 14 % and 23 % of `pets list --json`.
  {
    package: 'undici',
    id: /\/client-h2\.js$/,
    code: 'module.exports = {};',
  },
  // node:http provides a class of bodies that petstore never passes, and for a default that `send.ts` overrides. Saves 4 % and 5 %.
  {
    package: 'undici',
    id: /^node:http$/,
    code: 'module.exports = { IncomingMessage: class {}, maxHeaderSize: 16384 };',
  },
  // node:assert is used for assertions only; the module also opens process.stderr. Saves 3 % and 7 %.
  {
    package: 'undici',
    id: /^node:assert$/,
    code: "module.exports = (value, message = 'undici assertion failed') => { if (!value) throw message instanceof Error ? message : new Error(message); };",
  },
  // A search tree of well-known header names, which takes longer to build than it saves. Saves 3 % and 4 %.
  {
    package: 'undici',
    id: /^\.(?:\/|\.\/core\/)constants$/,
    code: 'module.exports = { wellknownHeaderNames: [], headerNameLowerCasedRecord: {} };',
  },
  // petstore measures text itself, and lets cli-table3 align placeholders (src/format/table.ts). Saves 10 % of `pets list`
  // as a table.
  { package: 'cli-table3', id: /^string-width$/, code: 'module.exports = (text) => text.length;' },
  { package: 'cli-table3', id: /^@colors\/colors\/safe$/, code: 'module.exports = {};' },
  // node-gyp-build searches directories for the compiled file of this platform. Saves 9 % of `pets list --json` from the sandbox on
  // Node.js 20; later versions use node:sqlite.
  {
    package: '@photostructure/sqlite',
    id: /^node-gyp-build$/,
    code: `const { existsSync } = require('node:fs');
    const { dirname, join } = require('node:path');
    const prebuilt = join(
      'node_modules/@photostructure/sqlite/prebuilds',
      process.platform + '-' + process.arch,
      '@photostructure+sqlite.glibc.node',
    );
    module.exports = () => {
      let folder = __dirname;
      while (!existsSync(join(folder, prebuilt)) && folder !== dirname(folder)) folder = dirname(folder);
      try {
        return require(join(folder, prebuilt));
      } catch {
        const root = dirname(require.resolve('@photostructure/sqlite/package.json'));
        return require(require.resolve('node-gyp-build', { paths: [root] }))(root);
      }
    };`,
  },
];

/** Replaces the backslashes of Windows paths with slashes. */
export function toSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

/** Returns the start of the module names of a package's stubs. */
export function stubPrefix(name: string): string {
  return `\0stub:${name}/`;
}

export const stubUnusedImports: Plugin = {
  name: 'stub-unused-imports',
  resolveId: (id, from = '') => {
    const importer = toSlashes(from);
    const index = stubs.findIndex((stub) => importer.includes(`/node_modules/${stub.package}/`) && stub.id.test(id));
    return index === -1 ? null : `${stubPrefix(stubs[index]?.package ?? '')}${index}.cjs`;
  },
  load: (id) => {
    const index = /^\0stub:.+\/(\d+)\.cjs$/.exec(id)?.[1];
    return index === undefined ? null : (stubs[Number(index)]?.code ?? null);
  },
};
