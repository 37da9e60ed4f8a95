import { expect, test } from 'vitest';
import { guessFlags } from '../../src/cli/guess-flags.js';

test.each([
  [['pets', '--json', '--nope'], { output: 'json' }],
  [['pets', '-o', 'yaml', '--nope'], { output: 'yaml' }],
  [['pets', '-ocsv', '-pstaging'], { output: 'csv', profile: 'staging' }],
  [['pets', '--output=ndjson', '--profile=a', '-p', 'b'], { output: 'ndjson', profile: 'b' }],
  [['pets', '--output', 'nonsense', '--color', 'pink', '-p'], {}],
  [['pets', '--no-color'], { color: 'never' }],
  [['pets', '--', '--json', '--profile', 'staging'], {}],
])('guesses the flags of %j', (argv, flags) => {
  expect(guessFlags(argv)).toEqual(flags);
});
