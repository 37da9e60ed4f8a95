declare const escaped: unique symbol;

/** Text that a terminal shows and never obeys: made by `safe` alone. */
export type SafeText = string & { readonly [escaped]: true };

let unsafe: RegExp | undefined;

/**
 * What a terminal may obey or hide: controls (C0, DEL, C1), format characters (bidi, zero-width, tags),
 * lone surrogates, private and unassigned characters, line separators, and default ignorables.
 * A zero-width joiner or a variation selector that is part of an emoji is left as it is.
 * Made when it is first needed, since its sets of characters cost more than the rest of a command.
 */
function unsafeCharacters(): RegExp {
  unsafe ??= new RegExp(
    [
      String.raw`(?!(?<=PICTOGRAPH\uFE0F?\p{Emoji_Modifier}?)\u200D(?=PICTOGRAPH))`,
      String.raw`(?!(?<=PICTOGRAPH)[\uFE0E\uFE0F])`,
      String.raw`(?!(?<=[0-9#*])\uFE0F(?=\u20E3))`,
      String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`,
    ]
      .join('')
      // Places kept for later emoji are pictographs too, and are not assigned yet.
      .replaceAll('PICTOGRAPH', String.raw`(?:(?!\p{Cn})\p{Extended_Pictographic})`),
    'gu',
  );
  return unsafe;
}

/** Shows every unsafe character as its escape, `\u001b`; a line feed too, unless `multiline`. */
export function toSafeText(text: string, { multiline = false } = {}): SafeText {
  if (isLatin(text)) return text as SafeText;
  return text.replace(unsafeCharacters(), (character) =>
    multiline && character === '\n' ? character : escapeCharacter(character),
  ) as SafeText;
}

/** A JSON or YAML document in which unsafe characters inside strings are `\u` escapes: lossless. */
export function escapeDocument(document: string, astral: (code: number) => string): string {
  if (plainDocument.test(document)) return document;
  return document.replace(unsafeCharacters(), (character) => {
    if (character === '\n') return character;
    const code = character.codePointAt(0) as number;
    return code > 0xffff ? astral(code) : unicodeEscape(code);
  });
}

/** At most `length` characters (UTF-16 units), with `…` where some were left out. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** `\u` and four hexadecimal digits, for one UTF-16 unit. */
export function unicodeEscape(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) as number;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : unicodeEscape(code);
}

/** Text of which all can be told cheaply: nothing is unsafe, and every letter takes one column. */
export function isLatin(text: string): boolean {
  return latin.test(text);
}

/** ASCII, what Unicode has of Latin first, without the soft hyphen, and `…`. */
const latin = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2026]*$/;
const plainDocument = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2026\n]*$/;
