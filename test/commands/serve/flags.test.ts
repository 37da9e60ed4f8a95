import { expect, test } from 'vitest';
import { parseTime } from '../../../src/commands/serve/flags.js';

test.each([
  ['2030-12-06', '2030-12-06T00:00:00.000Z'],
  ['2030-12-06T08:30', '2030-12-06T08:30:00.000Z'],
  ['2030-12-06T08:30:15.5Z', '2030-12-06T08:30:15.500Z'],
  ['2030-12-06T08:30:00+02:00', '2030-12-06T06:30:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
])('--clock %s is %s', (text, time) => {
  expect(new Date(parseTime(text)).toISOString()).toBe(time);
});

test.each([
  '',
  'tomorrow',
  '2030',
  '2030-13-01',
  '2030-02-31',
  '2030-12-06T25:00',
  '06.12.2030',
  '1969-12-31',
  '2030-12-06 08:30',
  '2030-12-06Z0',
])('--clock "%s" is refused', (text) => {
  expect(() => parseTime(text)).toThrow('--clock must be a day or a time such as 2030-12-06');
});
