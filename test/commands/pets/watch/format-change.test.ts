import { expect, test } from 'vitest';
import type { Change } from '../../../../src/commands/pets/watch/compare.js';
import { formatChange } from '../../../../src/commands/pets/watch/format-change.js';

const ada = { id: 1, name: 'Ada', status: 'available' };
const balu = { id: 2, name: 'Balu' };
const sold = { ...ada, status: 'sold' };

test.each<
  [string, Change, Parameters<typeof formatChange>[1], readonly string[] | undefined, string]
>([
  ['was added', { event: 'added', pet: ada }, 'table', undefined, '+ 1 Ada available\n'],
  ['was removed', { event: 'removed', pet: balu }, 'table', undefined, '- 2 Balu -\n'],
  [
    'changed',
    { event: 'changed', pet: sold, before: ada },
    'table',
    undefined,
    '~ 1 Ada sold; status was available\n',
  ],
  ['was added, with --fields', { event: 'added', pet: ada }, 'table', ['name', 'id'], '+ Ada 1\n'],
  [
    'was added with a hostile name',
    { event: 'added', pet: { id: 1, name: 'A\n+ 2 B' } },
    'table',
    undefined,
    '+ 1 A\\u000a+ 2 B -\n',
  ],
  [
    'changed, as NDJSON',
    { event: 'changed', pet: sold, before: ada },
    'ndjson',
    ['status'],
    '{"event":"changed","pet":{"status":"sold"},"before":{"status":"available"}}\n',
  ],
])('a pet that %s is one line', (_, change, format, fields, line) => {
  expect(formatChange(change, format, fields)).toBe(line);
});
