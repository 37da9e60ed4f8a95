import { createRequire } from 'node:module';
import type { Plugin } from 'rolldown';

const packages = createRequire(import.meta.url);
const { TYPE, ERROR } = packages('undici/lib/llhttp/constants.js') as Record<string, object>;

/** undici's, for machines with SIMD and without. */
const parsers = ['llhttp_simd', 'llhttp'];

/**
 * What packages bring along and petstore never uses, though it would load it with every command, or does at less
 * cost: file by file of their insides, which is why their versions are pinned and `test/loads.test.ts` looks at what
 * is left.
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
  // Of the parser's names these two; and a tree of well-known headers that saves less than it takes to build.
  {
    package: 'undici',
    id: /\/llhttp\/constants\.js$/,
    code: `module.exports = ${JSON.stringify({ TYPE, ERROR })};`,
  },
  {
    package: 'undici',
    id: /^\.(?:\/|\.\/core\/)constants$/,
    code: 'module.exports = { wellknownHeaderNames: [], headerNameLowerCasedRecord: {} };',
  },
  // What a program that watches undici subscribes to.
  {
    package: 'undici',
    id: /\/diagnostics(?:\.js)?$/,
    code: 'module.exports = { channels: new Proxy({}, { get: () => ({ hasSubscribers: false }) }) };',
  },
  // Text of base 64, which V8 would keep three times; as a file of its own it is read when it is needed.
  ...parsers.map((name) => ({
    package: 'undici',
    id: new RegExp(`/${name}-wasm\\.js$`),
    code: `module.exports = require('node:fs').readFileSync(require('node:path').join(__dirname, '${name}.wasm'));`,
  })),
  // It reads directories to find the file for this machine, which mostly has this name; and asking Node.js where the
  // package is takes longer than opening the database.
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
    return index === -1 ? null : `${standIns(replacements[index]?.package ?? '')}${index}.cjs`;
  },
  load: (id) => {
    const index = /^\0unused:.+\/(\d+)\.cjs$/.exec(id)?.[1];
    return index === undefined ? null : (replacements[Number(index)]?.code ?? null);
  },
  generateBundle() {
    for (const name of parsers) {
      const source = packages(`undici/lib/llhttp/${name}-wasm.js`) as Buffer;
      this.emitFile({ type: 'asset', fileName: `${name}.wasm`, source });
    }
  },
};
