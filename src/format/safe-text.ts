declare const safeTextBrand: unique symbol;

/** Text without characters that control a terminal. Only `toSafeText` creates it. */
export type SafeText = string & { readonly [safeTextBrand]: true };

/** Escapes unsafe characters as `\u001b`; line feeds and tabs too, unless `multiline`. */
export function toSafeText(text: string, { multiline = false } = {}): SafeText {
  const escaped = escapeAllBut(multiline ? '\n\t' : '', text, (code) => `\\u{${code.toString(16)}}`);
  return escaped as SafeText;
}

/** Escapes unsafe characters of a JSON or YAML document. They occur only inside strings, so its meaning stays. */
export function escapeDocument(document: string, escapeAstral: (code: number) => string): string {
  return escapeAllBut('\n', document, escapeAstral);
}

function escapeAllBut(kept: string, text: string, escapeAstral: (code: number) => string): string {
  if ((kept === '' ? latinLine : latinText).test(text)) return text;
  return text.replace(unsafeCharacters(), (character) => {
    if (kept.includes(character)) return character;
    const code = character.codePointAt(0) as number;
    return code > 0xffff ? escapeAstral(code) : unicodeEscape(code);
  });
}

/** Safe text with one column per character: ASCII, Latin-1 without the soft hyphen, Latin Extended, IPA, `…`, `✓`, `✗`. */
export const latinLine = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2026\u2713\u2717]*$/;
const latinText = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2026\u2713\u2717\n]*$/;

/** Returns at most `maxLength` characters (UTF-16 units), ending with `…` if some were cut. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Returns `\u` and four hexadecimal digits for a UTF-16 unit. */
export function unicodeEscape(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

let compiled: RegExp | undefined;

/**
 * Returns what matches characters that a terminal may obey or hide: control characters (C0, DEL, C1), format characters
 * (bidi, zero-width, tags), lone surrogates, private and unassigned characters, line separators, and default ignorables.
 * Joiners and variation selectors inside emoji are safe. Compiling it takes 4 % of `pets list`, so Latin text avoids it.
 */
function unsafeCharacters(): RegExp {
  // Code points reserved for future emoji are pictographs too, but unassigned.
  const pictograph = String.raw`(?:(?!\p{Cn})\p{Extended_Pictographic})`;
  compiled ??= new RegExp(
    [
      `(?!(?<=${pictograph}\\uFE0F?\\p{Emoji_Modifier}?)\\u200D(?=${pictograph}))`,
      `(?!(?<=${pictograph})[\\uFE0E\\uFE0F])`,
      String.raw`(?!(?<=[0-9#*])\uFE0F(?=\u20E3))`,
      String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`,
    ].join(''),
    'gu',
  );
  return compiled;
}
