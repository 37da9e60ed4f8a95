import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import { parse } from 'yaml';
import { thirdPartyLicences } from './licences.config.js';
import { stubPrefix, stubUnusedImports, toSlashes } from './unused.config.js';

/** What one file needs before it can run: itself, and all that it imports other than on demand. */
function needs(file: string, found = new Set<string>()): ReadonlySet<string> {
  const path = resolve(file);
  if (found.has(toSlashes(path))) return found;
  found.add(toSlashes(path));
  const isOurs = path.endsWith('.ts');
  const imports = readFileSync(path, 'utf8').matchAll(
    isOurs ? /^(?:im|ex)port (?!type)[^;]*?from '([^']+)'/gm : /require\(['"](\.[^'"]+)['"]\)/g,
  );
  for (const [, name = ''] of imports) {
    if (isOurs && name.startsWith('.')) {
      needs(resolve(path, '..', name.replace(/\.js$/, '.ts')), found);
    } else if (!isOurs || name.startsWith('undici/')) {
      // Only some files of undici are used, and some are stubs.
      found.add(stubPrefix('undici'));
      needs(createRequire(path).resolve(name), found);
    } else if (!name.startsWith('node:')) found.add(inside(packageOf(name)));
  }
  return found;
}

function packageOf(name: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
}

/** What every command needs: the first file, on which all others hang. */
const first = [...needs('src/main.ts')];

function inside(name: string): string {
  return `/node_modules/${name}/`;
}

/** What is loaded together is one file: every file that is opened costs about as much as reading it. */
function together(name: string, ...entries: readonly string[]) {
  const files = entries
    .flatMap((one) => (one.endsWith('.ts') ? [...needs(one)] : [inside(one), stubPrefix(one)]))
    .filter((id) => !first.includes(id));
  return { name, test: (id: string) => files.some((file) => toSlashes(id).includes(file)) };
}

/** The description as JSON text, so that nothing needs to read YAML to serve it. */
export const describedInJson: Plugin = {
  name: 'described-in-json',
  load: (id) =>
    toSlashes(id).endsWith('/openapi.yaml')
      ? {
          code: `export default ${JSON.stringify(JSON.stringify(parse(readFileSync(id, 'utf8'))))}`,
          moduleType: 'js',
        }
      : null,
};

/** Of the package's own description the version is all that a command needs. */
const versionAlone: Plugin = {
  name: 'version-alone',
  load: (id) => {
    if (toSlashes(id) !== toSlashes(resolve('package.json'))) return null;
    const { version } = JSON.parse(readFileSync(id, 'utf8')) as { version: string };
    return { code: `export default ${JSON.stringify({ version })}`, moduleType: 'js' };
  },
};

/** One byte a character: V8 keeps any other text in two, and bin/petstore.js reads it as it is. */
function inAscii(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * What nothing that comes later may change. The first line of the first file tells one build from another, which the
 * names of files do not: bin/petstore.js goes by it.
 */
const last: Plugin = {
  name: 'last',
  generateBundle(_, bundle) {
    const digest = createHash('sha256');
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    for (const chunk of chunks) {
      chunk.code = inAscii(chunk.code);
      digest.update(`${chunk.fileName}\n${chunk.code}\n`);
    }
    const stamp = digest.digest('hex').slice(0, 16);
    for (const chunk of chunks) if (chunk.isEntry) chunk.code = `// ${stamp}\n${chunk.code}`;
  },
};

export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  external: ['@napi-rs/keyring', 'pg', 'prom-client', /^@redis\/client\//],
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  plugins: [stubUnusedImports, describedInJson, versionAlone, thirdPartyLicences, last],
  output: {
    // CommonJS starts faster than ES modules, which Node.js loads one by one and asynchronously.
    format: 'cjs',
    // A package that stays outside is required: to import one, Node.js starts its other loader first.
    dynamicImportInCjs: false,
    dir: 'dist',
    cleanDir: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          ...together(
            'session',
            ...['src/app/open-context.ts', 'src/app/connect.ts', 'src/cli/render.ts'],
            // The main job.
            ...['src/commands/pets/list.ts', 'src/quota/status-line.ts'],
          ),
          priority: 3,
        },
        { ...together('send', 'src/client/send.ts'), priority: 2 },
        { ...together('embed', 'src/app/embed.ts'), priority: 1 },
        // It runs as soon as it is loaded, and a Node.js that has SQLite need not have this one.
        { ...together('sqlite', '@photostructure/sqlite'), priority: 1 },
      ],
    },
    // Names are kept, so that a stack trace in a report tells something.
    minify: { compress: true, mangle: { keepNames: true }, codegen: true },
    comments: { legal: false },
  },
});
