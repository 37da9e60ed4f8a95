/** A term and what is said of it. */
export interface DefinitionItem {
  readonly term: string;
  readonly text: string;
}

const indent = '  ';
/** Longer terms, and narrower terminals, have what is said below the term. */
const longestTerm = 24;
const narrowest = 60;

/** Terms in one column and texts in another, no line wider than `width` where words allow it. */
export function formatDefinitionList(items: readonly DefinitionItem[], width: number): string {
  const longest = Math.max(...items.map(({ term }) => term.length));
  if (longest > longestTerm || width < narrowest) {
    return items
      .map(
        ({ term, text }) =>
          `${wrapText(term, indent, width)}${wrapText(text, indent.repeat(3), width)}`,
      )
      .join('');
  }
  const margin = ' '.repeat(indent.length + longest + 2);
  return items
    .map(({ term, text }) => {
      const lines = wrapText(text, margin, width);
      return `${indent}${term.padEnd(longest + 2)}${lines.slice(margin.length)}`;
    })
    .join('');
}

/** Text in lines that begin with `margin`, none wider than `width` but for a word that is. */
export function wrapText(text: string, margin: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && margin.length + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => `${margin}${one}\n`).join('');
}
