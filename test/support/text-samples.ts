import fc from 'fast-check';
import { expect } from 'vitest';

/** Generates text that attacks the reader's terminal. */
export const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\u001b[2J',
        '\u001b[31m',
        '\u001b[?25l',
        '\u001b]0;title\u0007',
        '\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\',
        '\u001b]52;c;ZWNobyBoaQ==\u0007',
        '\u001bP+q544e\u001b\\',
        '\u001bc',
        '\u009b2J',
        '\u009d0;title\u009c',
        '\u0090q\u009c',
        '\r',
        '\n',
        '\r\n',
        '\t',
        '\b\b\b',
        '\u0000',
        '\u007f',
        '\u0085',
        '\u2028',
        '\u2029',
      ),
      fc.constantFrom(
        ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'],
        ...['\u061c', '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u2060', '\u2063', '\ufeff'],
        ...['\u00ad', '\u034f', '\u115f', '\u3164', '\uffa0', '\u180e', '\ufff9', '\ufe0f', '\ufe0e'],
        ...['\u{e0001}', '\u{e0041}', '\u{e0100}', '\u{1d173}', '\ue000', '\u{f0000}', '\u0378'],
        ...['\ud800', '\udfff', '\ud83d', '\uffff', '\u{1fffe}', '\u{1f02c}'],
      ),
      fc.constantFrom(
        ...['a', 'Rex', ' ', '  ', '"', "'", '\\', ',', ';', '=', '#', '*', '-', '1', ': ', '財', 'é'],
        ...['e\u0301', '👨‍👩‍👧', '👩🏽‍🚀', '🇩🇪', '1️⃣', '❤️', '❤️‍🔥', '☎︎', '\u0301', '\u{1d167}'],
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

const joiner = /(?<=\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)\u200D(?=\p{Extended_Pictographic})/gu;
const variation = /(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]|(?<=[0-9#*])\uFE0F(?=\u20E3)/gu;
const dangerous = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Matches text without unsafe characters; line feeds and emoji sequences are allowed. */
export function expectSafe(text: string, where = ''): void {
  const rest = text.replace(joiner, '').replace(variation, '').replaceAll('\n', '');
  expect({ where, found: dangerous.exec(rest)?.[0] }).toEqual({ where, found: undefined });
}

/** The characters of Unicode's White_Space (PropList.txt). */
const whiteSpace = [
  ...['\t', '\n', '\v', '\f', '\r', ' ', '\u0085', '\u00a0', '\u1680'],
  ...Array.from({ length: 11 }, (_, index) => String.fromCharCode(0x2000 + index)),
  ...['\u2028', '\u2029', '\u202f', '\u205f', '\u3000'],
];

/** Names that consist of white space. */
export const blankNames: readonly string[] = ['', ...whiteSpace, whiteSpace.join(''), '\n\n', ' \n', '\r\n \u3000'];

/** Names that are not blank, some of which other definitions of white space include. */
export const validNames: readonly string[] = [
  ...['a', '.', '\\', '^', '$', '-', ']', '🐈', 'Zoë', 'e\u0301', '犬', '\uffff', '\u{10ffff}', '0'],
  ...[
    ' a ',
    '\na',
    'a\n',
    'a\nb',
    '\n a \n',
    '\u2028a\u2029',
    '\u3000🐈\u3000',
    ...whiteSpace.map((char) => `${char}x`),
  ],
  // White space in JavaScript, Python or older versions of Unicode only.
  ...['\ufeff', '\x1c', '\x1d', '\x1e', '\x1f', '\u180e'],
  // Invisible characters.
  ...[
    '\x01',
    '\x08',
    '\x0e',
    '\x7f',
    '\x84',
    '\x86',
    '\u00ad',
    '\u200b',
    '\u2027',
    '\u202a',
    '\u2060',
    '\u2800',
    '\u3164',
  ],
  'a'.repeat(200),
  '🐈'.repeat(200),
];
