import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { highlightJson } from '../../src/format/highlight-json.js';
import { formatJson } from '../../src/format/json.js';
import { hostileText } from '../support/text-samples.js';

const styles = {
  key: (text: string) => `\u001b[1m${text}\u001b[22m`,
  text: (text: string) => `\u001b[32m${text}\u001b[39m`,
  literal: (text: string) => `\u001b[95m${text}\u001b[39m`,
};

const highlight = (json: string) => highlightJson(json, styles);

test('keys, strings, numbers and literals are colored, but not punctuation', () => {
  expect(highlight('{\n  "a\\"b": "1: \\\\",\n  "n": [-1.5e+3, true, null, {}]\n}\n')).toBe(
    [
      '{\n  \u001b[1m"a\\"b"\u001b[22m: \u001b[32m"1: \\\\"\u001b[39m,\n',
      '  \u001b[1m"n"\u001b[22m: [\u001b[95m-1.5e+3\u001b[39m, \u001b[95mtrue\u001b[39m, \u001b[95mnull\u001b[39m, {}]\n}\n',
    ].join(''),
  );
});

test('without its escape sequences, highlighted JSON is the same text', () => {
  const values = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
  const hostileValues = fc.dictionary(hostileText, fc.oneof(hostileText, fc.double(), fc.constant(null)));
  fc.assert(
    fc.property(fc.oneof(values, hostileValues), fc.constantFrom(0, 2), (value, indent) => {
      const json = formatJson(value, indent);
      expect(stripVTControlCharacters(highlight(json))).toBe(json);
    }),
  );
});

test('a string of a million escapes is not colored', () => {
  const json = `[\n  "${'\\n'.repeat(1_000_000)}",\n  1\n]\n`;
  expect(stripVTControlCharacters(highlight(json))).toBe(json);
  expect(highlight(json)).toContain('\u001b[95m1');
});
