import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { displayWidth } from '../../src/format/display-width.js';
import { startCannedServer } from '../support/http-server.js';
import { temporaryDirectory } from '../support/petstore.js';
import { openTerminal } from '../support/terminal.js';

/** One grapheme of 7 code points in 2 columns. */
const family = '👩‍👩‍👧‍👦';
const pets = [
  { id: 1, name: 'Ada', categoryId: 7, status: 'available' },
  { id: 23, name: family.repeat(40), categoryId: 12, status: 'sold' },
  { id: 1234567, name: 'Zoe\u0308\u001b[2J', categoryId: 1, status: 'pending' },
];

/** Returns the lines of `pets list` in a terminal, with and without escape sequences. */
async function listIn(columns: number, env: Readonly<Record<string, string>>) {
  const terminal = openTerminal(temporaryDirectory(), ['pets', 'list', '-q'], { env, columns });
  expect(await terminal.exitCode).toBe(0);
  const styled = terminal.output().trimEnd().split('\r\n');
  return { styled, lines: styled.map(stripVTControlCharacters) };
}

test('tables have bold titles, right-aligned exact ids and names cut between graphemes at every width', async () => {
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const widths = [40, 60, 80, 100, 200];
  const tables = await Promise.all(widths.map((width) => listIn(width, env)));
  for (const [index, { styled, lines }] of tables.entries()) {
    const [header = '', ada, long = '', zoe] = lines;
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(widths[index] ?? 0);
    expect(header).toMatch(/^ {5}ID {2}NAME +CATEGORY {2}STATUS$/);
    for (const title of ['ID', 'NAME', 'CATEGORY', 'STATUS']) expect(styled[0]).toMatch(`\u001b[1m${title}`);
    expect(ada).toMatch(/^ {6}1 {2}Ada +7 {2}available$/);
    expect(zoe).toMatch(/^1234567 {2}Zoe\u0308.* 1 {2}pending$/);
    const name = /^ {5}23 {2}(\S+) +12 {2}sold$/.exec(long)?.[1] ?? '';
    if (widths[index] === 200) expect(name).toBe(family.repeat(40));
    else expect(name).toBe(`${family.repeat((name.length - 1) / family.length)}…`);
  }
});

test('a terminal that is too narrow for the table shows one pet per block, uncut', async () => {
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const { styled, lines } = await listIn(36, env);
  expect(lines).toHaveLength(14);
  expect(lines.slice(5, 9)).toEqual([
    'ID        23',
    `NAME      ${family.repeat(40)}`,
    'CATEGORY  12',
    'STATUS    sold',
  ]);
  expect(styled[0]).toBe('\u001b[1mID\u001b[22m        1');
});
