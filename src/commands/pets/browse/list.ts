import type { PetRecord } from '../../../api/pet.js';
import { toDisplayText } from '../../../format/cell.js';
import { displayWidth, truncateToWidth } from '../../../format/display-width.js';
import { type SafeText, toSafeText } from '../../../format/safe-text.js';
import { type Box, fill, type Looks, padded } from './lines.js';
import type { State } from './model.js';
import { idOf } from './page-cache.js';

interface RowLooks {
  readonly text: (text: string) => string;
  readonly status: (text: string) => string;
}

/** A heading and the pets around the chosen one, every line as wide as the box. */
export function listLines(
  { selected }: State,
  pets: readonly PetRecord[],
  { width, height }: Box,
  { style, show }: Looks,
): readonly string[] {
  const count = height - 1;
  const first = Math.max(0, Math.min(selected - Math.floor(count / 2), pets.length - count));
  const shown = pets.slice(first, first + count);
  const cells = shown.map((pet) => [idOf(pet), toDisplayText(pet.name), toDisplayText(pet.status)]);
  const safely = cells.map((row) => row.map((cell) => show(cell.slice(0, 500))));
  const widest = (column: number, most: number) =>
    Math.min(most, Math.max(...[...safely.map((row) => displayWidth(row[column] ?? '')), 2]));
  // Widths that most pets share, so that nothing moves when one scrolls.
  const idWidth = Math.max(4, widest(0, 19));
  const statusWidth = Math.max(9, widest(2, 12));
  const nameWidth = Math.max(1, width - idWidth - statusWidth - 6);
  const line = (mark: string, [id, name, status]: readonly SafeText[], looks: RowLooks) => {
    const start = `${mark} ${fill(id as SafeText, idWidth)}  `;
    const middle = `${fill(name as SafeText, nameWidth)}  `;
    const text = truncateToWidth(status as SafeText, statusWidth);
    const padding = ' '.repeat(statusWidth - displayWidth(text));
    const whole = toSafeText(`${start}${middle}${text}${padding}`);
    // Too narrow for columns: the beginning is what counts.
    if (displayWidth(whole) > width) return fill(whole, width);
    return `${looks.text(start + middle)}${looks.status(text)}${padding}`;
  };
  const headings = line(
    ' ',
    ['id', 'name', 'status'].map((name) => toSafeText(name)),
    { text: style.heading, status: style.heading },
  );
  const rows = safely.map((row, index) => {
    const isChosen = first + index === selected;
    const text = isChosen ? style.heading : (plain: string) => plain;
    return line(isChosen ? '❯' : ' ', row, { text, status: style.status });
  });
  return padded([headings, ...rows], height, ' '.repeat(width));
}
