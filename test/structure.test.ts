import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

/** The levels of `src`. A file imports from its own level and lower ones, which come first here. */
const levels: readonly (readonly string[])[] = [
  ['failure.ts', 'clock.ts', 'error-codes.ts', 'server-error-codes.ts'],
  ['api'],
  ['server', 'format'],
  ['client', 'quota', 'config', 'terminal'],
  ['cli', 'docgen'],
  ['app', 'commands'],
  ['main.ts', 'generate.ts'],
];

/** The files that import each npm package. */
const homes: Readonly<Record<string, readonly string[]>> = {
  '@commander-js/extra-typings': [
    'src/cli/command-spec.ts',
    'src/cli/flag-variables.ts',
    'src/cli/flags.ts',
    'src/cli/help.ts',
    'src/cli/program.ts',
    'src/cli/usage-errors.ts',
  ],
  '@inquirer/core': [
    'src/terminal/inquirer-prompts.ts',
    'src/terminal/prompt-keys.ts',
    'src/terminal/prompt-redraw.ts',
    'src/terminal/search-prompt.ts',
    'src/terminal/view-prompt.ts',
  ],
  '@inquirer/prompts': ['src/terminal/inquirer-prompts.ts'],
  '@noble/hashes': ['src/format/sha256.ts'],
  '@napi-rs/keyring': ['src/config/keyring.ts'],
  chalk: ['src/terminal/output.ts'],
  '@photostructure/sqlite': ['src/server/sqlite-statements.ts', 'src/server/sqlite.ts'],
  '@redis/client': ['src/quota/redis-connection.ts'],
  'cli-progress': ['src/terminal/progress-bar.ts'],
  'cli-table3': ['src/format/cli-table3.d.ts', 'src/format/table.ts'],
  conf: ['src/config/config-file.ts'],
  'csv-parse': ['src/format/read-csv.ts'],
  'csv-stringify': ['src/format/format-csv.ts'],
  'fastest-levenshtein': ['src/format/suggest.ts'],
  'lossless-json': ['src/format/format-yaml.ts', 'src/format/json.ts'],
  ora: ['src/terminal/spinner.ts'],
  pg: [
    'src/server/postgres-batch.ts',
    'src/server/postgres-pool.ts',
    'src/server/postgres-session.ts',
    'src/server/postgres.ts',
  ],
  'prom-client': ['src/server/metrics.ts'],
  'string-width': ['src/format/display-width.ts'],
  undici: ['src/client/proxy-connection.ts', 'src/client/send.ts', 'src/client/undici.d.ts'],
  yaml: ['src/format/format-yaml.ts'],
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));

const imports: readonly Import[] = files.flatMap(importsOf);

const ownImports = imports.filter(({ to }) => to.startsWith('src/'));

function importsOf(from: string): readonly Import[] {
  const text = readFileSync(from, 'utf8');
  const statements = text.matchAll(/^(?:im|ex)port (type )?([^;'"]*?)from '([^']+)'/gm);
  const others = text.matchAll(/(?:\bimport\(|\bmodule )'([^']+)'/g);
  const toFile = (name: string) => (name.startsWith('.') ? join(dirname(from), name).replace(/\.js$/, '.ts') : name);
  return [
    ...[...statements].map(([, type, names = '', name = '']) => ({
      from,
      to: toFile(name),
      isType: type !== undefined || hasTypesOnly(names),
    })),
    ...[...others].map(([, name = '']) => ({ from, to: toFile(name), isType: false })),
  ];
}

/** True for `{ type A, type B }`. */
function hasTypesOnly(names: string): boolean {
  const list = /^\{(.*)\}\s*$/s.exec(names)?.[1]?.split(',') ?? [''];
  return list.every((name) => /^\s*(type .*)?$/s.test(name)) && list.join('').trim() !== '';
}

/** Returns the folder in `src`, or the name of a file directly in `src`. */
function folderOf(file: string): string {
  const [first = '', second] = relative('src', file).split('/');
  return second === undefined ? basename(file) : first;
}

function levelOf(file: string): number {
  return levels.findIndex((folders) => folders.includes(folderOf(file)));
}

test('imports point down', () => {
  const upward = ownImports.filter(({ from, to }) => levelOf(from) < levelOf(to));
  expect(upward).toEqual([]);
});

/** Packages and modules of Node.js with effects on the network, the disk, the terminal or the process. */
const effects =
  /^(?:node:(?:fs|net|https?|http2|tls|dns|child_process|worker_threads|readline|os|process|sqlite|v8)(?:\/|$)|(?:undici|conf|pg|prom-client|@redis\/client|@photostructure\/sqlite|@napi-rs\/keyring|ora|cli-progress|chalk|@inquirer\/\w+)(?:\/|$))/;

test('only app and the same folder import values from files with effects', () => {
  const withEffects = new Set(imports.filter(({ to, isType }) => !isType && effects.test(to)).map(({ from }) => from));
  const openers = ['app', 'main.ts', 'generate.ts'];
  const wrong = ownImports.filter(
    ({ from, to, isType }) =>
      !isType && withEffects.has(to) && folderOf(from) !== folderOf(to) && !openers.includes(folderOf(from)),
  );
  expect(wrong).toEqual([]);
});

test('imports have no cycles', () => {
  const seen = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (seen.get(file) === 'open') cycles.push([...path, file].join(' > '));
    if (seen.has(file)) return;
    seen.set(file, 'open');
    for (const { from, to } of ownImports) if (from === file) visit(to, [...path, file]);
    seen.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

test('command groups do not import each other', () => {
  const group = (file: string) => /^src\/commands\/([^/]+)\//.exec(file)?.[1];
  const wrong = ownImports.filter(({ from, to }) => group(from) && group(to) && group(from) !== group(to));
  expect(wrong).toEqual([]);
});

test('only the listed files import npm packages', () => {
  const packages = imports.filter(({ to }) => /^[@a-z]/.test(to) && !to.startsWith('node:'));
  const found: Record<string, string[]> = {};
  for (const { from, to } of packages) {
    if (to.startsWith('src/') || ['package.json', 'openapi.yaml'].includes(to)) continue;
    const name = to
      .split('/')
      .slice(0, to.startsWith('@') ? 2 : 1)
      .join('/');
    found[name] = [...new Set([...(found[name] ?? []), from])].sort();
  }
  expect(found).toEqual(homes);
});

test('only main.ts uses the process object', () => {
  const strings = /'[^'\n]*'|`[^`]*`/g;
  const readers = files.filter((file) => {
    const text = codeOf(file);
    return /\bprocess\b/.test(text.replace(strings, '')) || text.includes("'node:process'");
  });
  expect(readers).toEqual(['src/main.ts']);
});

test('no file is longer than 250 lines', () => {
  const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 251);
  expect(long).toEqual([]);
});

test('tests have the paths of the files they test', () => {
  const tests = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.test.ts') && dirname(name) !== '.' && !/^(faults|journeys)\b/.test(name),
  );
  expect(tests.length).toBeGreaterThan(100);
  // The part after the first dot is the kind of test.
  const sourceOf = (name: string) => join('src', dirname(name), `${basename(name).split('.')[0]}.ts`);
  expect(tests.filter((name) => !files.includes(sourceOf(name)))).toEqual([]);
});

test('no file or folder has a vague name', () => {
  const vague = files.filter((file) => /\b(utils?|helpers?|common|shared|misc|core)\b/.test(file));
  expect(vague).toEqual([]);
});

test('exported names are unique outside of commands', () => {
  const homesOf = new Map<string, string[]>();
  for (const file of files.filter((each) => folderOf(each) !== 'commands')) {
    for (const name of exportedNamesOf(file)) {
      homesOf.set(name, [...(homesOf.get(name) ?? []), file]);
    }
  }
  const repeated = [...homesOf].filter(([, found]) => found.length > 1);
  expect(Object.fromEntries(repeated)).toEqual({});
});

/** Returns the names that a file declares and exports. */
function exportedNamesOf(file: string): ReadonlySet<string> {
  const declarations =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
  return new Set([...codeOf(file).matchAll(declarations)].map(([, name = '']) => name));
}

/** Returns the text of a file without comments. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8').replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
