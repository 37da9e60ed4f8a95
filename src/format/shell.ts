import { isLatin, toSafeText } from './safe-text.js';

/**
 * One word of a POSIX shell that stands for this text exactly, NUL aside, which no word can hold. What a terminal
 * would obey or hide is written in octal digits: the words are there to be read and pasted.
 */
export function quoteShellWord(text: string): string {
  if (isLatin(text)) return singleQuoted(text);
  return splitByVisibility(text)
    .map(({ isPlain, run }) => (isPlain ? singleQuoted(run) : `"$(printf '${octal(utf8(run))}')"`))
    .join('');
}

/** A command of a POSIX shell that prints these bytes exactly, whatever they are. */
export function formatPrintfCommand(bytes: Uint8Array): string {
  let format = '';
  for (const byte of bytes) {
    const isPlain = byte === 0x0a || (byte >= 0x20 && byte <= 0x7e);
    const character = String.fromCharCode(byte);
    format += isPlain ? (inFormat[character] ?? character) : octal([byte]);
  }
  // What begins with a hyphen is an option to some.
  return `printf '${format.replace(/^-/, octal([0x2d]))}'`;
}

/** What means something between single quotes, or in the format of printf. */
const inFormat: Readonly<Record<string, string>> = { "'": "'\\''", '\\': '\\\\', '%': '%%' };

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The text in pieces: such as can be shown, and such as cannot. A line feed is shown, and so is never at the end of
 * what `$( )` takes it from.
 */
function splitByVisibility(
  text: string,
): readonly { readonly isPlain: boolean; readonly run: string }[] {
  const runs: { isPlain: boolean; run: string }[] = [];
  for (const character of text) {
    const isPlain = character === '\n' || toSafeText(character) === character;
    const last = runs.at(-1);
    if (last?.isPlain === isPlain) last.run += character;
    else runs.push({ isPlain, run: character });
  }
  return runs;
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function octal(bytes: Iterable<number>): string {
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
