import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Who may import whom, types included: pure rooms (contract, text, ports) from everywhere above them,
 * rooms that touch the world from the door and its wiring alone.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  text: [],
  ports: ['contract', 'text'],
  reference: ['ports', 'contract', 'text'],
  docgen: [],
  commands: ['docgen', 'reference', 'ports', 'contract', 'text'],
  client: ['ports', 'contract', 'text'],
  cli: ['ports', 'contract', 'text'],
  terminal: ['ports', 'contract', 'text'],
  local: ['ports', 'contract', 'text'],
  service: ['contract', 'text'],
  wiring: [
    'cli',
    'client',
    'commands',
    'contract',
    'local',
    'ports',
    'service',
    'terminal',
    'text',
  ],
  'main.ts': ['cli', 'commands', 'local', 'ports', 'terminal', 'wiring'],
  'generate.ts': ['cli', 'commands', 'docgen', 'reference'],
};

/** Every npm package has one home. */
const homes: Readonly<Record<string, readonly string[]>> = {
  '@commander-js/extra-typings': [
    'src/cli/flags.ts',
    'src/cli/help.ts',
    'src/cli/program.ts',
    'src/cli/run.ts',
    'src/ports/frame.ts',
  ],
  '@inquirer/core': ['src/terminal/screen.ts'],
  '@inquirer/prompts': ['src/terminal/prompts.ts'],
  '@noble/hashes': ['src/text/digest.ts'],
  '@napi-rs/keyring': ['src/local/keyring.ts'],
  '@photostructure/sqlite': ['src/service/sqlite.ts'],
  '@redis/client': ['src/wiring/redis.ts'],
  chalk: ['src/terminal/style.ts'],
  'cli-progress': ['src/terminal/progress.ts'],
  'cli-table3': ['src/text/table.ts'],
  conf: ['src/local/document.ts'],
  'csv-parse': ['src/text/csv-reader.ts'],
  'csv-stringify': ['src/text/csv.ts'],
  'fastest-levenshtein': ['src/text/suggest.ts'],
  'lossless-json': ['src/text/json.ts', 'src/text/yaml.ts'],
  ora: ['src/terminal/progress.ts'],
  pg: ['src/service/postgres.ts'],
  'prom-client': ['src/service/metrics.ts'],
  'string-width': ['src/text/graphemes.ts'],
  undici: ['src/client/proxy.ts', 'src/client/send.ts', 'src/client/undici.d.ts'],
  yaml: ['src/text/yaml.ts'],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));

const imports: readonly Import[] = files.flatMap((from) =>
  [...readFileSync(from, 'utf8').matchAll(/(?:from|import\(|module) ?'([^']+)'/g)].map(
    ([, to = '']) => ({
      from,
      to: to.startsWith('.') ? join(dirname(from), to).replace(/\.js$/, '.ts') : to,
    }),
  ),
);

const own = imports.filter(({ to }) => to.startsWith('src/'));

function room(file: string): string {
  const [first, second] = relative('src', file).split('/');
  return second === undefined ? (file.split('/').at(-1) as string) : (first as string);
}

test('imports go from a room only to the rooms below it', () => {
  const wrong = own.filter(({ from, to }) => {
    return room(from) !== room(to) && !allowed[room(from)]?.includes(room(to));
  });
  expect(wrong).toEqual([]);
});

test('rooms that only compute use nothing of Node.js', () => {
  const pure = ['contract', 'text', 'ports', 'reference', 'commands', 'cli'];
  const wrong = imports.filter(
    ({ from, to }) => to.startsWith('node:') && pure.includes(room(from)),
  );
  expect(wrong).toEqual([]);
});

test('no files import each other in a circle', () => {
  const seen = new Map<string, 'open' | 'done'>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (seen.get(file) === 'open') circles.push([...path, file].join(' > '));
    if (seen.has(file)) return;
    seen.set(file, 'open');
    for (const { from, to } of own) if (from === file) visit(to, [...path, file]);
    seen.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});

test('a noun imports no other noun', () => {
  const noun = (file: string) => /^src\/commands\/([^/]+)\//.exec(file)?.[1];
  const wrong = own.filter(({ from, to }) => noun(from) && noun(to) && noun(from) !== noun(to));
  expect(wrong).toEqual([]);
});

test('every npm package has one home', () => {
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

test('only the door reads the process', () => {
  const words = /'[^'\n]*'|`[^`]*`/g;
  const readers = files.filter((file) => {
    const text = code(file);
    return /\bprocess\b/.test(text.replace(words, '')) || text.includes("'node:process'");
  });
  expect(readers).toEqual(['src/main.ts']);
});

test('pages, not scrolls: no file is longer than 250 lines', () => {
  const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 251);
  expect(long).toEqual([]);
});

test('tests stand at the paths of what they test', () => {
  const tests = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      name.endsWith('.test.ts') && dirname(name) !== '.' && !/^(faults|journeys)\b/.test(name),
  );
  expect(tests.length).toBeGreaterThan(100);
  // What follows the first dot tells what kind of test it is.
  const sourceOf = (name: string) =>
    join('src', dirname(name), `${basename(name).split('.')[0]}.ts`);
  expect(tests.filter((name) => !files.includes(sourceOf(name)))).toEqual([]);
});

test('no file or folder has a name that says nothing', () => {
  const vague = files.filter((file) => /\b(utils?|helpers?|common|shared|misc|core)\b/.test(file));
  expect(vague).toEqual([]);
});

/** A file's text without its comments. */
function code(file: string): string {
  return readFileSync(file, 'utf8').replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
