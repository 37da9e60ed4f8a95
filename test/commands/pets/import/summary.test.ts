import { expect, test } from 'vitest';
import { createTotals } from '../../../../src/commands/pets/import/send-rows.js';
import { summarize } from '../../../../src/commands/pets/import/summary.js';

test.each([
  [84, 3, '84 ms · 35.7 rows/s'],
  [25_000, 1, '25s · 2.4 rows/min'],
  [1_040, 20, '1s · 20.0 rows/s'],
  [2_149, 20, '2.1s · 9.5 rows/s'],
  [9_949, 199, '9.9s · 20.1 rows/s'],
  [9_950, 200, '10s · 20.0 rows/s'],
  [10_400, 1_000, '10s · 100.0 rows/s'],
])('after %d ms, the summary has a rate that agrees with its time', (durationMs, added, text) => {
  const lines: string[] = [];
  const context = {
    settings: { output: 'table', profile: 'staging' },
    terminal: { success: (line: string) => lines.push(line) },
    flags: {},
    signal: new AbortController().signal,
  };
  summarize(context as never, { ...createTotals(), added }, { durationMs });
  expect(lines).toEqual([expect.stringMatching(new RegExp(`to staging · ${text}$`))]);
});
