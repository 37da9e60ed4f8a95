import { toSafeText } from './safe-text.js';

/**
 * Quotes text as one word of a POSIX shell. Text with unsafe characters becomes octal escapes, so that the word can be shown
 * and pasted. Text with NUL has no such word.
 */
export function quoteShellWord(text: string): string {
  const singleQuoted = (part: string) => `'${part.replaceAll("'", "'\\''")}'`;
  // A tab that is pasted would ask the shell for completions.
  if (toSafeText(text, { multiline: true }) === text && !text.includes('\t')) return singleQuoted(text);
  // The shell strips line feeds from the end of `$( )`.
  const [, start = '', end = ''] = /^(.*?)(\n*)$/s.exec(text) ?? [];
  return `"$(${formatPrintfCommand(new TextEncoder().encode(start))})"${end && singleQuoted(end)}`;
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
    format += isSafe ? (printfEscapes[character] ?? character) : `\\${byte.toString(8).padStart(3, '0')}`;
  }
  // Some shells take a leading hyphen for an option.
  return `printf '${format.replace(/^-/, '\\055')}'`;
}

/** Characters with a meaning in single quotes or in a printf format. */
const printfEscapes: Readonly<Record<string, string>> = { "'": "'\\''", '\\': '\\\\', '%': '%%' };
