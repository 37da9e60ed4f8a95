import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import { parse } from 'yaml';
import { stubPrefix, stubUnusedImports, toSlashes } from './release/stub-unused-imports.js';
import { thirdPartyLicenses } from './release/third-party-licenses.js';
import { docsPage } from './web/docs-page.js';

/** Returns a file and, recursively, everything it imports statically. */
function collectImports(file: string, found = new Set<string>()): ReadonlySet<string> {
  const path = resolve(file);
  if (found.has(toSlashes(path))) return found;
  found.add(toSlashes(path));
  const isSource = path.endsWith('.ts');
  const imports = readFileSync(path, 'utf8').matchAll(
    isSource ? /^(?:im|ex)port (?!type)[^;]*?from '([^']+)'/gm : /require\(['"](\.[^'"]+)['"]\)/g,
  );
  for (const [, name = ''] of imports) {
    if (isSource && name.startsWith('.')) {
      collectImports(resolve(path, '..', name.replace(/\.js$/, '.ts')), found);
    } else if (!isSource || name.startsWith('undici/')) {
      // Only a few files of undici are bundled, some of them as stubs (release/stub-unused-imports.ts).
      found.add(stubPrefix('undici'));
      collectImports(createRequire(path).resolve(name), found);
    } else if (!name.startsWith('node:')) found.add(packagePath(packageOf(name)));
  }
  return found;
}

function packageOf(name: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
}

/** Files that every command needs. They become main.cjs. */
const mainFiles = [...collectImports('src/main.ts')];

/** The lower layers of `src`, and the package that they need. */
const lowerLayer = /\/src\/(?:(?:api|format|config)\/|[\w-]+\.ts$(?<!main\.ts))|\/fastest-levenshtein\//;

function packagePath(name: string): string {
  return `/node_modules/${name}/`;
}

/** Returns a group that bundles entries and their imports, since opening a file takes about as long as reading it. */
function groupFiles(name: string, ...entries: readonly string[]) {
  const files = entries
    .flatMap((entry) => (entry.endsWith('.ts') ? [...collectImports(entry)] : [packagePath(entry), stubPrefix(entry)]))
    .filter((id) => !mainFiles.includes(id));
  return { name, test: (id: string) => files.some((file) => toSlashes(id).includes(file)) };
}

/** Returns the API spec that a server serves. Its only server URL is relative, so that clients send keys nowhere else. */
function readServedSpec(path: string): unknown {
  const { servers, ...spec } = parse(readFileSync(path, 'utf8')) as { readonly servers: readonly { url: string }[] };
  return { ...spec, servers: servers.filter(({ url }) => url.startsWith('/')) };
}

/** Bundles openapi.yaml as JSON text, so that serving it needs no YAML parser. */
export const apiSpecAsJson: Plugin = {
  name: 'api-spec-as-json',
  load: (id) =>
    toSlashes(id).endsWith('/openapi.yaml')
      ? {
          code: `export default ${JSON.stringify(JSON.stringify(readServedSpec(id)))}`,
          moduleType: 'js',
        }
      : null,
};

/** Bundles Markdown pages and completion scripts as text. */
export const textFiles: Plugin = {
  name: 'text-files',
  load: (id) =>
    /\.md$|\/completions\/\w/.test(toSlashes(id))
      ? { code: `export default ${JSON.stringify(readFileSync(id, 'utf8'))}`, moduleType: 'js' }
      : null,
};

/** Bundles only the version of package.json. */
const packageVersion: Plugin = {
  name: 'package-version',
  load: (id) => {
    if (toSlashes(id) !== toSlashes(resolve('package.json'))) return null;
    const { version } = JSON.parse(readFileSync(id, 'utf8')) as { version: string };
    return { code: `export default ${JSON.stringify({ version })}`, moduleType: 'js' };
  },
};

/** Escapes characters outside ASCII: V8 reads and keeps such files as bytes. Saves 2 % of `pets list --json`. */
function toAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Names the build in the first line of each file, so that bin/code-cache.js never uses code of another build. Must be the
 * last plugin.
 */
const buildId: Plugin = {
  name: 'build-id',
  generateBundle(_, bundle) {
    const digest = createHash('sha256');
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    for (const chunk of chunks) {
      chunk.code = toAscii(chunk.code);
      digest.update(`${chunk.fileName}\n${chunk.code}\n`);
    }
    const id = digest.digest('hex').slice(0, 16);
    for (const chunk of chunks) chunk.code = `// ${id}\n${chunk.code}`;
  },
};

export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  external: ['@napi-rs/keyring', 'pg', 'prom-client'],
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  plugins: [stubUnusedImports, apiSpecAsJson, textFiles, packageVersion, docsPage, thirdPartyLicenses, buildId],
  output: {
    // CommonJS starts faster than ES modules, which Node.js loads asynchronously, one by one.
    format: 'cjs',
    // External packages are required. To import one, Node.js would first start its ES module loader.
    dynamicImportInCjs: false,
    dir: 'dist',
    cleanDir: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        // The lower layers of main.cjs, which other files share: rolldown would make a file of each of some modules.
        {
          name: 'base',
          test: (id: string) => mainFiles.some((file) => lowerLayer.test(file) && toSlashes(id).includes(file)),
          priority: 4,
        },
        {
          ...groupFiles(
            'session',
            ...['src/app/context.ts', 'src/cli/render.ts'],
            // The most frequent command.
            ...['src/commands/pets/list.ts'],
          ),
          priority: 3,
        },
        { ...groupFiles('send', 'src/client/send.ts'), priority: 2 },
        { ...groupFiles('sandbox', 'src/app/sandbox.ts'), priority: 1 },
        // Loading this package runs it, and a Node.js with built-in SQLite does not need it.
        { ...groupFiles('sqlite', '@photostructure/sqlite'), priority: 1 },
      ],
    },
    // Function names make stack traces in bug reports readable.
    minify: { compress: true, mangle: { keepNames: true }, codegen: true },
    comments: false,
  },
});
