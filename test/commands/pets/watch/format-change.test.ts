import { expect, test } from 'vitest';
import type { Change } from '../../../../src/commands/pets/watch/compare.js';
import { formatChange } from '../../../../src/commands/pets/watch/format-change.js';

const ada = { id: 1, name: 'Ada', status: 'available' };
const change: Change = { event: 'changed', pet: { ...ada, status: 'sold' }, before: ada };
const hostile = { id: 1, name: 'A\n+ 2 B' };

test.each<[string, Change, string, (readonly string[])?]>([
  ['an added pet', { event: 'added', pet: ada }, '+ 1 Ada available\n'],
  ['a removed pet', { event: 'removed', pet: { id: 2, name: 'Balu' } }, '- 2 Balu -\n'],
  ['a changed pet', change, '~ 1 Ada sold; status was available\n'],
  ['selected fields', { event: 'added', pet: ada }, '+ Ada 1\n', ['name', 'id']],
  ['a hostile name', { event: 'added', pet: hostile }, '+ 1 A\\u000a+ 2 B -\n'],
])('formats %s as one line', (_, given, line, fields) => {
  expect(formatChange(given, 'table', fields)).toBe(line);
});

test('formats a change as NDJSON', () => {
  expect(formatChange(change, 'ndjson', ['status'])).toBe(
    '{"event":"changed","pet":{"status":"sold"},"before":{"status":"available"}}\n',
  );
});
