import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatYaml } from '../../src/format/format-yaml.js';
import { parseJson } from '../../src/format/json.js';

describe('formatYaml', () => {
  test('writes records as block lists and keeps digits', () => {
    const pets = parseJson(
      '[{"id":9223372036854775807,"name":"Rex","weight":1.0,"size":1e3,"tags":[],"more":{},"none":null}]',
    );
    expect(formatYaml(pets)).toBe(
      [
        '- id: 9223372036854775807',
        '  name: Rex',
        '  weight: 1.0',
        '  size: 1e3',
        '  tags: []',
        '  more: {}',
        '  none: null\n',
      ].join('\n'),
    );
  });

  test.each(['1', '1.0', 'null', 'true', '~', '', ' a', 'a: b', '#x', '- a', '0x10', '[', '*a', '&a'])(
    'quotes %j so that it remains a string',
    (text) => {
      expect(parse(formatYaml({ [text]: text }))).toEqual({ [text]: text });
    },
  );

  test('round-trips through a YAML parser', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = parseJson(JSON.stringify(value));
        expect(parse(formatYaml(plain))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 500 },
    );
  });

  test('escapes every unsafe character without losing any', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.array(fc.dictionary(text, text, { maxKeys: 3 }), { maxLength: 3 }), (value) => {
        const document = formatYaml(value);
        expect(document.replaceAll('\n', '')).not.toMatch(unsafe);
        expect(parse(document)).toEqual(value.map((record) => ({ ...record })));
      }),
      { numRuns: 500 },
    );
  });
});

const unsafe = /(?!(?<=\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)\u200D)[\p{C}\p{Zl}\p{Zp}]/u;
