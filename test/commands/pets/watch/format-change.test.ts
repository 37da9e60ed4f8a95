import { expect, test } from 'vitest';
import type { Change } from '../../../../src/commands/pets/watch/compare.js';
import { type ChangeFormat, formatChange } from '../../../../src/commands/pets/watch/format-change.js';
import { createStyle } from '../../../../src/terminal/output.js';

const ada = { id: 1, name: 'Ada', status: 'available' };
const change: Change = { event: 'changed', pet: { ...ada, status: 'sold' }, before: ada };
const hostile = { id: 1, name: 'A\n+ 2 B', '\u001b[2J': 1 };
const time = new Date(2026, 10, 23, 14, 3, 5, 250).getTime();
const exactTime = new Date(time).toISOString();
const pipe: ChangeFormat = {
  output: 'table',
  fields: undefined,
  width: undefined,
  style: await createStyle({ mode: 'never', isTerminal: false, env: {} }),
};
const mark = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
const terminal: ChangeFormat = {
  ...pipe,
  width: 40,
  style: { ...pipe.style, dim: mark('dim'), success: mark('green'), error: mark('red'), warning: mark('magenta') },
};

test.each<[string, Change, string, (readonly string[])?]>([
  ['an added pet', { event: 'added', pet: ada }, `+ ${exactTime} 1 Ada available\n`],
  ['a removed pet', { event: 'removed', pet: { id: 2, name: 'Balu' } }, `- ${exactTime} 2 Balu -\n`],
  ['a changed pet', change, `~ ${exactTime} 1 Ada sold; status was available\n`],
  ['selected fields', { event: 'added', pet: ada }, `+ ${exactTime} Ada 1\n`, ['name', 'id']],
  ['a hostile name', { event: 'added', pet: hostile }, `+ ${exactTime} 1 A\\u000a+ 2 B -\n`],
  [
    'a hostile key',
    { event: 'changed', pet: { id: 1 }, before: hostile },
    `~ ${exactTime} 1 - -; name was A\\u000a+ 2 B, \\u001b[2J was 1\n`,
  ],
])('formats %s as one line', (_, given, line, fields) => {
  expect(formatChange(given, time, { ...pipe, fields })).toBe(line);
});

test.each<[string, Change, string]>([
  ['green', { event: 'added', pet: ada }, '<green>+</green> <dim>14:03:05</dim> <green>1 Ada available</green>'],
  ['red', { event: 'removed', pet: ada }, '<red>-</red> <dim>14:03:05</dim> <red>1 Ada available</red>'],
  [
    'magenta',
    change,
    '<magenta>~</magenta> <dim>14:03:05</dim> <magenta>1 Ada sold; status was\n  available</magenta>',
  ],
])('on a terminal, a change is %s, has the local time and wraps at words', (_, given, line) => {
  expect(formatChange(given, time, terminal)).toBe(`${line}\n`);
});

test('formats a change as NDJSON with the exact time', () => {
  const format: ChangeFormat = { ...terminal, output: 'ndjson', fields: ['status'] };
  expect(formatChange(change, time, format)).toBe(
    `{"event":"changed","time":"${exactTime}","pet":{"status":"sold"},"before":{"status":"available"}}\n`,
  );
});
