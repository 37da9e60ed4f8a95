import { expect, test } from 'vitest';
import { flatten } from '../../src/docgen/outline.js';
import { bytesRead } from '../../src/docgen/places.js';
import { powershell } from '../../src/docgen/powershell.js';
import { outline } from '../support/completion-world.js';

const script = powershell(outline);
const row = /^ {8}@\(('(?:[^']|'')*'(?:, '(?:[^']|'')*'){4})\),?$/gm;
const rows = [...script.matchAll(row)].map(([, cells = '']) =>
  [...cells.matchAll(/'((?:[^']|'')*)'/g)].map(([, cell = '']) => cell.replaceAll("''", "'")),
);

test('the script for PowerShell holds every command and every flag, with what it is', () => {
  for (const { words, commands, flags } of flatten(outline)) {
    const place = words.slice(1).join(' ');
    for (const below of commands) {
      expect(rows).toContainEqual([place, 'command', below.words.at(-1), '', below.purpose]);
    }
    for (const { names, purpose } of flags) {
      for (const name of names) {
        const at = words.length === 1 ? '*' : place;
        const like = [at, 'flag', name, expect.any(String), purpose];
        expect(rows).toContainEqual(like);
      }
    }
  }
});

test('what differs between the scripts for PowerShell is quoted text alone', () => {
  const hostile = {
    ...outline,
    purpose: '',
    arguments: [],
    commands: [
      {
        ...outline,
        words: ['petstore', "it's"],
        purpose: '\u2018$(touch x)\u2019 `touch x` \'x\' "$x" @(1)',
        flags: [],
        commands: [],
      },
    ],
  };
  const withoutRows = (text: string) => text.replace(/(^ {8}@\(('([^']|'')*'(, |\)))+,?\n)+/m, '');
  const other = powershell(hostile);
  expect(withoutRows(other)).toBe(withoutRows(script));
  expect(other).toContain(
    "@('', 'command', 'it''s', '', '\u2018\u2018$(touch x)\u2019\u2019 `touch x` ''x'' \"$x\" @(1)')",
  );
});

test('the script for PowerShell is ASCII, which every version reads alike', () => {
  expect(script).toMatch(/^[\n\x20-\x7e]*$/);
});

test('the script for PowerShell reads as many bytes as the others', () => {
  expect(script).toContain(`$file.Length -le ${bytesRead})`);
});
