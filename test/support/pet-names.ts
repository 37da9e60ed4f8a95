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
