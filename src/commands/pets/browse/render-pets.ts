import { stripVTControlCharacters } from 'node:util';
import type { PetRecord } from '../../../api/pet.js';
import { displayWidth, truncateToWidth } from '../../../format/display-width.js';
import { foldText, splitFilter } from '../../../format/fold-text.js';
import { toDisplayText } from '../../../format/json.js';
import { type SafeText, toSafeText } from '../../../format/safe-text.js';
import type { Style } from '../../../terminal/output.js';
import { type BrowseState, formatPetId } from './state.js';

export interface RenderStyle {
  readonly style: Style;
  /** Escapes control characters and redacts API keys. */
  readonly sanitize: (text: string) => SafeText;
}

export interface ScreenOptions extends RenderStyle {
  /** The profile, or the host of the service. */
  readonly label: string;
  /** In milliseconds since the Unix epoch. */
  readonly now: number;
}

/** A part of the screen, in columns and lines. */
export interface Area {
  readonly width: number;
  readonly height: number;
}

/** Truncates or fills up lines to a height. */
export function fitToHeight(lines: readonly string[], height: number, blank = ''): string[] {
  return Array.from({ length: height }, (_, index) => lines[index] ?? blank);
}

/** The width of the names, unless a visible one is wider. A fixed width keeps the columns in place while scrolling. */
const usualNameWidth = 36;
const maxNameWidth = 64;
/** The list is too narrow for categories below this width. */
const minCategoryWidth = 48;

/** The width of the smallest 64-bit integer. */
const maxIdWidth = 20;

interface ListColumn {
  readonly key: string;
  readonly title: string;
  readonly width: number;
  readonly isNumber?: true;
}

/** Returns a heading and the pets around the selected one, each line as wide as the area. Marks what the filter found. */
export function renderPetList(
  pets: readonly PetRecord[],
  { selected, search }: Pick<BrowseState, 'selected' | 'search'>,
  { width, height }: Area,
  { style, sanitize }: RenderStyle,
): readonly string[] {
  const { rows, first } = findVisibleRows(pets, selected, height - 1);
  const columns = fitColumns(rows, width, sanitize);
  const words = splitFilter(search);
  const formatCells = (formatCell: (column: ListColumn) => SafeText, decorate = (cell: string, _key: string) => cell) =>
    columns.map((column) => decorate(fitToWidth(formatCell(column), column.width, column.isNumber), column.key));
  const formatLine = (mark: string, [id = '', name = '', ...others]: readonly string[]) => {
    const start = `${mark} ${id}  ${name}  `;
    // Terminals disagree on the width of emoji and of scripts such as Devanagari.
    const move = latin.test(stripVTControlCharacters(name)) ? '' : moveToColumn(displayWidth(start) + 1);
    const line = `${start}${move}${others.join('  ')}`;
    return `${line}${' '.repeat(Math.max(0, width - displayWidth(line)))}`;
  };
  const formatPet = (pet: PetRecord, isSelected: boolean) => {
    const formatCell = ({ key }: ListColumn) =>
      sanitize((key === 'id' ? formatPetId(pet) : toDisplayText(pet[key])).slice(0, 500));
    const decorate = (cell: string, key: string) => {
      if (key === 'status') return isSelected ? cell : cell.replace(/\S+/, style.status);
      return key === 'categoryId' ? cell : markMatches(cell, words, style.match);
    };
    const line = formatLine(isSelected ? '❯' : ' ', formatCells(formatCell, decorate));
    // Too narrow for columns: only the start is shown, without styles.
    if (displayWidth(line) > width) return fitToWidth(toSafeText(stripVTControlCharacters(line)), width);
    return isSelected ? style.selected(line) : line;
  };
  const heading = toSafeText(
    formatLine(
      ' ',
      formatCells(({ title }) => toSafeText(title)),
    ),
  );
  const lines = rows.map((pet, index) => formatPet(pet, first + index === selected));
  return fitToHeight([style.heading(fitToWidth(heading, width)), ...lines], height, ' '.repeat(width));
}

/** Moves the cursor to a column, counted from 1 (CHA, ECMA-48 §8.3.9). */
const moveToColumn = (column: number) => `\u001b[${column}G`;

/** Characters that take one column in every terminal. */
const latin = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2026]*$/;

function findVisibleRows(pets: readonly PetRecord[], selected: number, count: number) {
  const first = Math.max(0, Math.min(selected - Math.floor(count / 2), pets.length - count));
  return { rows: pets.slice(first, first + count), first };
}

/** Returns the width that a list needs to show every column, names as usual. */
export function getPreferredListWidth(pets: readonly PetRecord[], selected: number, area: Area, style: RenderStyle) {
  const { rows } = findVisibleRows(pets, selected, area.height - 1);
  const columns = fitColumns(rows, Number.POSITIVE_INFINITY, style.sanitize);
  return columns.reduce((sum, column) => sum + column.width + 2, 0);
}

/** Returns the columns that fit, and their widths. Names get the rest, up to a limit. */
function fitColumns(
  rows: readonly PetRecord[],
  width: number,
  sanitize: RenderStyle['sanitize'],
): readonly ListColumn[] {
  const widest = (key: string, min: number, max: number) => {
    const widths = rows.map((pet) => displayWidth(sanitize(toDisplayText(pet[key]).slice(0, 500))));
    return Math.min(max, Math.max(min, ...widths));
  };
  const fixed: readonly ListColumn[] = [
    // Minimum widths suit most pets, so that columns stay in place while scrolling.
    { key: 'id', title: 'ID', width: widest('id', 4, maxIdWidth), isNumber: true },
    ...(width < minCategoryWidth
      ? []
      : [
          { key: 'categoryId', title: 'CATEGORY', width: widest('categoryId', 8, maxIdWidth), isNumber: true } as const,
        ]),
    { key: 'status', title: 'STATUS', width: widest('status', 9, 12) },
  ];
  const rest = width - fixed.reduce((sum, column) => sum + column.width + 2, 2);
  const nameWidth = Math.max(1, Math.min(rest, widest('name', usualNameWidth, maxNameWidth)));
  const [id, ...others] = fixed as [ListColumn, ...ListColumn[]];
  return [id, { key: 'name', title: 'NAME', width: nameWidth }, ...others];
}

/** Cuts or fills text to a width; a number is aligned to the right. */
export function fitToWidth(text: SafeText, width: number, isNumber = false): string {
  const fitted = truncateToWidth(text, width);
  const padding = ' '.repeat(Math.max(0, width - displayWidth(fitted)));
  return isNumber ? `${padding}${fitted}` : `${fitted}${padding}`;
}

/** Shared: creating a segmenter takes longer than most uses of it. */
let segmenter: Intl.Segmenter | undefined;

/** Returns text in which `mark` was applied to each match of a word. */
export function markMatches(text: string, words: readonly string[], mark: (match: string) => string): string {
  if (words.length === 0) return text;
  segmenter ??= new Intl.Segmenter();
  const graphemes = Array.from(segmenter.segment(text), ({ segment }) => segment);
  const foldedGraphemes = graphemes.map(foldText);
  // For each character of the folded text, the index of its grapheme.
  const indexes = foldedGraphemes.flatMap((part, index) => Array<number>(part.length).fill(index));
  const haystack = foldedGraphemes.join('');
  const matchedIndexes = new Set<number>();
  for (const word of words) {
    for (let start = haystack.indexOf(word); start !== -1; start = haystack.indexOf(word, start + 1)) {
      for (const index of indexes.slice(start, start + word.length)) matchedIndexes.add(index);
    }
  }
  const mask = graphemes.map((_, index) => (matchedIndexes.has(index) ? '+' : '-')).join('');
  return mask.replace(/\++|-+/g, (run, start: number) => {
    const part = graphemes.slice(start, start + run.length).join('');
    return run.startsWith('+') ? mark(part) : part;
  });
}
