import { type PetRecord, petFields } from '../../../api/pet.js';
import { displayWidth, truncateToWidth, wrapToWidth } from '../../../format/display-width.js';
import { foldText } from '../../../format/fold-text.js';
import { formatJson, toDisplayText } from '../../../format/json.js';
import { type SafeText, toSafeText, truncate } from '../../../format/safe-text.js';
import type { Style } from '../../../terminal/output.js';
import { clamp } from './model.js';
import { formatPetId } from './visible-pets.js';

export interface RenderStyle {
  readonly style: Style;
  /** Escapes control characters and redacts API keys. */
  readonly sanitize: (text: string) => SafeText;
}

interface ListColumn {
  readonly key: string;
  readonly title: string;
  /** At least the minimum width, which suits most pets: columns stay in place while the list scrolls. */
  readonly width: number;
  readonly maxWidth: number;
  readonly isNumber?: true;
}

const idColumn: ListColumn = { key: 'id', title: 'ID', width: 4, maxWidth: 20, isNumber: true };
const nameColumn: ListColumn = { key: 'name', title: 'NAME', width: 36, maxWidth: 64 };
const categoryColumn: ListColumn = { key: 'categoryId', title: 'CATEGORY', width: 8, maxWidth: 20, isNumber: true };
const statusColumn: ListColumn = { key: 'status', title: 'STATUS', width: 9, maxWidth: 12 };

/** A list leaves out a column, and those after it, if names would get fewer terminal columns than its number. */
const optionalColumns: readonly (readonly [ListColumn, number])[] = [
  [statusColumn, 12],
  [categoryColumn, 24],
];

interface ListOptions extends RenderStyle {
  /** In terminal columns. */
  readonly maxWidth: number;
  readonly height: number;
  /** The words of the filter, which are underlined. */
  readonly words: readonly string[];
}

/** Returns a heading and the pets around the selected one, as lines of one width. */
export function renderPetList(
  pets: readonly PetRecord[],
  selected: number,
  { maxWidth, height, words, style, sanitize }: ListOptions,
): readonly string[] {
  const first = clamp(selected - Math.floor((height - 1) / 2), pets.length - height + 1);
  const rows = pets.slice(first, first + height - 1);
  const formatCell = (pet: PetRecord, { key }: ListColumn) =>
    sanitize((key === 'id' ? formatPetId(pet) : toDisplayText(pet[key])).slice(0, 500));
  const columns = fitColumns(maxWidth, (column) => rows.map((pet) => displayWidth(formatCell(pet, column))));
  const formatLine = (mark: string, cells: readonly string[]) => `${mark} ${cells.join('  ')}`;
  const heading = formatLine(
    ' ',
    columns.map((column) => fitToWidth(toSafeText(column.title), column)),
  );
  const lines = rows.map((pet, index) => {
    const isSelected = first + index === selected;
    const cells = columns.map((column) => {
      const cell = fitToWidth(formatCell(pet, column), column);
      if (column.key === 'status') return isSelected ? cell : cell.replace(/\S+/, style.status);
      return column.key === 'categoryId' ? cell : markMatches(cell, words, style.match);
    });
    return isSelected ? style.selected(formatLine('❯', cells)) : formatLine(' ', cells);
  });
  return fitToHeight([style.heading(heading), ...lines], height, ' '.repeat(displayWidth(heading)));
}

/** Returns the columns that fit, and their widths. Names get the rest, up to a limit. */
function fitColumns(maxWidth: number, measure: (column: ListColumn) => readonly number[]): readonly ListColumn[] {
  const fitColumn = (column: ListColumn, max = column.maxWidth): ListColumn => {
    const width = Math.max(column.width, ...measure(column));
    return { ...column, width: Math.max(1, Math.min(width, column.maxWidth, max)) };
  };
  const id = fitColumn(idColumn, maxWidth - 8);
  const others: ListColumn[] = [];
  let rest = maxWidth - id.width - 4;
  for (const [definition, minNameWidth] of optionalColumns) {
    const column = fitColumn(definition);
    if (rest - column.width - 2 < minNameWidth) break;
    rest -= column.width + 2;
    others.unshift(column);
  }
  return [id, fitColumn(nameColumn, rest), ...others];
}

/** Cuts or fills text to a width; a number is aligned to the right. */
function fitToWidth(text: SafeText, { width, isNumber }: Pick<ListColumn, 'width' | 'isNumber'>): string {
  const fitted = truncateToWidth(text, width);
  const padding = ' '.repeat(Math.max(0, width - displayWidth(fitted)));
  return isNumber ? `${padding}${fitted}` : `${fitted}${padding}`;
}

/** Truncates or fills up lines to a height. */
export function fitToHeight(lines: readonly string[], height: number, blank = ''): string[] {
  return Array.from({ length: height }, (_, index) => lines[index] ?? blank);
}

const segmenter = new Intl.Segmenter();

/** Returns text in which `mark` was applied to each grapheme that a word of the filter matches. */
export function markMatches(text: string, words: readonly string[], mark: (grapheme: string) => string): string {
  if (words.length === 0) return text;
  const graphemes = Array.from(segmenter.segment(text), ({ segment }) => segment);
  const folded = graphemes.map(foldText);
  const matched = new Set<number>();
  for (const word of words) {
    for (let start = 0; start < folded.length; start += 1) {
      let end = start;
      for (let run = ''; run.length < word.length && end < folded.length; end += 1) run += folded[end];
      if (folded.slice(start, end).join('').startsWith(word)) {
        for (let index = start; index < end; index += 1) matched.add(index);
      }
    }
  }
  return graphemes.map((grapheme, index) => (matched.has(index) ? mark(grapheme) : grapheme)).join('');
}

/** In UTF-16 units; wrapping longer values would slow down the screen. */
const maxValueLength = 20_000;

/** Returns a line for each field of a pet, documented fields first. Long values wrap. */
export function renderPetDetails(pet: PetRecord, width: number, { style, sanitize }: RenderStyle): readonly string[] {
  const keys = [...new Set([...petFields.map(({ name }) => name), ...Object.keys(pet)])];
  const longestKey = Math.max(...keys.map((key) => displayWidth(sanitize(key))));
  const margin = Math.min(longestKey + 2, Math.floor(width / 2));
  return keys.flatMap((key) =>
    formatValue(pet, key, width - margin)
      .flatMap((line) => wrapToWidth(sanitize(line), Math.max(1, width - margin)))
      .map((line, index) => {
        const start = index === 0 ? style.dim(fitToWidth(sanitize(key), { width: margin })) : ' '.repeat(margin);
        return `${start}${key === 'status' ? style.status(line) : line}`;
      }),
  );
}

/** Returns a value in one line; a list or an object that does not fit, in one line for each item. */
function formatValue(pet: PetRecord, key: string, width: number): readonly string[] {
  const value = pet[key];
  const text = truncate(key === 'id' ? formatPetId(pet) : toDisplayText(value), maxValueLength);
  const isNested = /^[[{]/.test(text) && typeof value !== 'string';
  const isWide = displayWidth(toSafeText(text)) > width;
  return isNested && isWide ? truncate(formatJson(value, 2), maxValueLength).split('\n') : [text];
}
