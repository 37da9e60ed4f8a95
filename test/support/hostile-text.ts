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
