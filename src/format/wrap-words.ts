/**
 * Splits text into lines of at most `width` columns at spaces, which are omitted there. Returns at least one line. Only a
 * single long word exceeds the width.
 */
export function wrapWords(text: string, width: number, measureWidth: (text: string) => number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<= )(?! )/)) {
    // An indentation stays with the first word.
    if (line.trim() !== '' && measureWidth((line + word).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = word;
    } else line += word;
  }
  return [...lines, line];
}
