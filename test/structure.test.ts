import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { errorCodes } from '../src/error-codes.js';

test('every error code occurs in the source', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('error-codes.ts'),
  );
  const source = files.map((name) => readFileSync(join('src', name), 'utf8')).join('\n');
  // Commander's codes and the reasons of database errors are converted.
  const occurs = (code: string) =>
    [`'${code}'`, ` ${code}:`, `'${code.replace('database_', '')}'`].some((text) => source.includes(text));
  expect(Object.keys(errorCodes).filter((code) => !occurs(code))).toEqual([]);
});

/** The levels of `src`. A file imports from its own level and lower ones, which come first here. */
const levels: readonly (readonly string[])[] = [
  ['failure.ts', 'clock.ts', 'error-codes.ts'],
  ['api'],
  ['server', 'format'],
  ['client', 'quota', 'config', 'terminal'],
  ['cli', 'docgen'],
  ['app', 'commands'],
  ['main.ts', 'generate.ts'],
];

/** Packages and modules of Node.js with effects on the network, the disk, the terminal or the process. */
const effects =
  /^(?:node:(?:fs|net|https?|http2|tls|dns|child_process|worker_threads|readline|os|process|sqlite|v8)(?:\/|$)|(?:undici|conf|pg|prom-client|@redis\/client|@photostructure\/sqlite|@napi-rs\/keyring|ora|chalk|@inquirer\/\w+)(?:\/|$))/;

/** The folders and files that may import values from files with effects in other folders. */
const openers = ['app', 'main.ts', 'generate.ts'];

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
  expect(ownImports.filter(({ from, to }) => levelOf(from) < levelOf(to))).toEqual([]);
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

test('only app, files of the same folder and files with effects import values from files with effects', () => {
  const withEffects = new Set(imports.filter(({ to, isType }) => !isType && effects.test(to)).map(({ from }) => from));
  const isAllowed = (from: string, to: string) =>
    folderOf(from) === folderOf(to) || openers.includes(folderOf(from)) || withEffects.has(from);
  expect(ownImports.filter(({ from, to, isType }) => !isType && withEffects.has(to) && !isAllowed(from, to))).toEqual(
    [],
  );
});

test('only main.ts uses the process object', () => {
  const comments = /\/\*\*[\s\S]*?\*\/|\/\/.*$/gm;
  const strings = /'[^'\n]*'|`[^`]*`/g;
  const readers = files.filter((file) => {
    const code = readFileSync(file, 'utf8').replace(comments, '');
    return /\bprocess\b/.test(code.replace(strings, '')) || code.includes("'node:process'");
  });
  expect(readers).toEqual(['src/main.ts']);
});
