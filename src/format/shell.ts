import { toSafeText } from './safe-text.js';

/**
 * Quotes text as one word of a POSIX shell. Unsafe characters become octal escapes, so that the word can be shown and
 * pasted. Text with NUL has no such word.
 */
export function quoteShellWord(text: string): string {
  if (toSafeText(text) === text) return singleQuoted(text);
  return splitByVisibility(text)
    .map(({ isSafe, run }) => (isSafe ? singleQuoted(run) : `"$(printf '${octal(utf8(run))}')"`))
    .join('');
}

/** Returns text as one word of a POSIX shell, in quotes if needed. */
export function formatShellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : quoteShellWord(text);
}

/** Returns a POSIX shell command that prints exactly these bytes. */
export function formatPrintfCommand(bytes: Uint8Array): string {
  let format = '';
  for (const byte of bytes) {
    const isSafe = byte === 0x0a || (byte >= 0x20 && byte <= 0x7e);
    const character = String.fromCharCode(byte);
    format += isSafe ? (printfEscapes[character] ?? character) : octal([byte]);
  }
  // Some shells take a leading hyphen for an option.
  return `printf '${format.replace(/^-/, octal([0x2d]))}'`;
}

/** Characters with a meaning in single quotes or in a printf format. */
const printfEscapes: Readonly<Record<string, string>> = { "'": "'\\''", '\\': '\\\\', '%': '%%' };

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Splits text into safe and unsafe runs. A line feed counts as safe, because `$( )` strips it from the end. */
function splitByVisibility(text: string): readonly { readonly isSafe: boolean; readonly run: string }[] {
  const runs: { isSafe: boolean; run: string }[] = [];
  for (const character of text) {
    const isSafe = character === '\n' || toSafeText(character) === character;
    const last = runs.at(-1);
    if (last?.isSafe === isSafe) last.run += character;
    else runs.push({ isSafe, run: character });
  }
  return runs;
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function octal(bytes: Iterable<number>): string {
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
