import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findEarlierImports } from '../../../../src/commands/pets/import/earlier-imports.js';
import { type JournalHeader, journalLine } from '../../../../src/commands/pets/import/journal-file.js';
import { temporaryDirectory } from '../../../support/petstore.js';

const origin = 'https://store.example';
const first: JournalHeader = {
  account: 'a1',
  origin,
  digest: 'd1',
  format: 'csv',
  name: '/home/a.csv',
  rows: 3,
  rowsDigest: 'r1',
  boot: 'b1',
  keyPrefix: 'k1',
};

async function findNamed(name: string, lines: readonly string[]) {
  const path = join(temporaryDirectory(), 'a1-d1.journal');
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  const source = { name, digest: 'd2' };
  const identity = { account: 'a1', origin, dataId: undefined, source, format: 'csv', rows: 3, rowsDigest: 'r3' };
  return findEarlierImports(dirname(path), identity);
}

test.each(['/home/a.csv', '/home/b.csv', '/home/"c\n.csv'])('finds the journal of an import of %j', async (name) => {
  const copies = ['/home/b.csv', '/home/"c\n.csv'].map((copy) => journalLine.header({ ...first, name: copy }));
  const found = await findNamed(name, [journalLine.header(first), journalLine.added(1, '1'), ...copies]);
  expect(found).toHaveLength(1);
});

test('finds no journal of another file, although a row was rejected with its name', async () => {
  const text = '"name":"/home/b.csv"';
  const lines = [journalLine.header(first), journalLine.added(1, '1'), `-2 ${text}`];
  expect(await findNamed('/home/b.csv', lines)).toEqual([]);
});

test('finds a file name wherever it is in a long journal', async () => {
  const copy = journalLine.header({ ...first, name: '/home/b.csv' });
  for (let length = 65_536 - copy.length; length < 65_536; length += 7) {
    const start = `${journalLine.header(first)}\n${journalLine.added(1, '1')}\n`;
    const filler = '<'.repeat(length - start.length - 1);
    expect(await findNamed('/home/b.csv', [start.trimEnd(), filler, copy])).toHaveLength(1);
  }
});
