import { type PetRecord, petFields } from '../../../api/pet.js';
import { displayWidth, truncateToWidth, wrapToWidth } from '../../../format/display-width.js';
import { toDisplayText } from '../../../format/json.js';
import { type SafeText, toSafeText, truncate } from '../../../format/safe-text.js';
import type { Style } from '../../../terminal/output.js';
import { formatPetId } from './page-cache.js';

export interface RenderStyle {
  readonly style: Style;
  /** Escapes control characters and redacts API keys. */
  readonly sanitize: (text: string) => SafeText;
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

/** Returns a heading and the pets around the selected one, each line as wide as the area. */
export function renderPetList(
  pets: readonly PetRecord[],
  selected: number,
  { width, height }: Area,
  { style, sanitize }: RenderStyle,
): readonly string[] {
  const count = height - 1;
  const first = Math.max(0, Math.min(selected - Math.floor(count / 2), pets.length - count));
  const rows = pets
    .slice(first, first + count)
    .map((pet) => [formatPetId(pet), toDisplayText(pet.name), toDisplayText(pet.status)])
    .map((cells) => cells.map((cell) => sanitize(cell.slice(0, 500))));
  const widest = (column: number) => Math.max(...rows.map((cells) => displayWidth(cells[column] ?? '')), 2);
  // Minimum widths suit most pets, so that columns keep their place while scrolling.
  const idWidth = Math.max(4, Math.min(19, widest(0)));
  const statusWidth = Math.max(9, Math.min(12, widest(2)));
  const nameWidth = Math.max(1, width - idWidth - statusWidth - 6);
  const plain = (text: string) => text;
  const formatRow = (cells: readonly SafeText[], mark = ' ', font = plain, color = style.status) => {
    const [id, name, status] = cells as [SafeText, SafeText, SafeText];
    const start = `${mark} ${fitToWidth(id, idWidth)}  ${fitToWidth(name, nameWidth)}  `;
    const text = truncateToWidth(status, statusWidth);
    const padding = ' '.repeat(statusWidth - displayWidth(text));
    const line = toSafeText(`${start}${text}${padding}`);
    // Too narrow for columns: only the start is shown, without styles.
    if (displayWidth(line) > width) return fitToWidth(line, width);
    return `${font(start)}${color(text)}${padding}`;
  };
  const headings = ['id', 'name', 'status'].map((name) => toSafeText(name));
  const lines = rows.map((cells, index) =>
    first + index === selected ? formatRow(cells, '❯', style.heading) : formatRow(cells),
  );
  const heading = formatRow(headings, ' ', style.heading, style.heading);
  return fitToHeight([heading, ...lines], height, ' '.repeat(width));
}

/** Returns `key: value` lines of every field, documented fields first; long values wrap. */
export function renderPetDetails(pet: PetRecord, width: number, { style, sanitize }: RenderStyle): readonly string[] {
  const keys = [...new Set([...petFields.map(({ name }) => name), ...Object.keys(pet)])];
  const longestKey = Math.max(...keys.map((key) => displayWidth(sanitize(key))));
  const margin = Math.min(longestKey + 2, Math.floor(width / 2));
  return keys.flatMap((key) => {
    const value = sanitize(truncate(toDisplayText(pet[key]), maxValueLength));
    return wrapToWidth(value, Math.max(1, width - margin)).map((part, index) => {
      const heading = style.heading(fitToWidth(toSafeText(`${sanitize(key)}:`), margin));
      const text = key === 'status' ? style.status(part) : part;
      return `${index === 0 ? heading : ' '.repeat(margin)}${text}`;
    });
  });
}

/** In UTF-16 units; wrapping longer values would slow down the screen. */
const maxValueLength = 20_000;

function fitToWidth(text: SafeText, width: number): string {
  const fitted = truncateToWidth(text, width);
  return `${fitted}${' '.repeat(Math.max(0, width - displayWidth(fitted)))}`;
}
