import { wrapWords } from './wrap-words.js';

/** A term and its description. */
export interface DefinitionItem {
  readonly term: string;
  readonly text: string;
}

const indent = '  ';
/** If a term is longer or the terminal narrower, descriptions go below their terms. */
const maxTermWidth = 24;
const minTerminalWidth = 60;

/** Formats terms in one column and descriptions in another. Only a single long word exceeds `width`. */
export function formatDefinitionList(items: readonly DefinitionItem[], width: number): string {
  const longest = Math.max(...items.map(({ term }) => term.length));
  if (longest > maxTermWidth || width < minTerminalWidth) {
    return items
      .map(({ term, text }) => `${wrapText(term, indent, width)}${wrapText(text, indent.repeat(3), width)}`)
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

/** Wraps text at spaces and starts each line with `margin`. Only a single long word exceeds `width`. */
export function wrapText(text: string, margin: string, width: number): string {
  const lines = wrapWords(text, width - margin.length, (part) => part.length);
  return lines.map((line) => `${margin}${line}\n`).join('');
}
