import type { PetRecord } from '../../../contract/pet.js';
import type { Size } from '../../../ports/screen.js';
import { shownText } from '../../../text/cell.js';
import { formatWait } from '../../../text/duration.js';
import { cut, widthOf } from '../../../text/graphemes.js';
import { layOutItems } from '../../../text/layout.js';
import { type SafeText, safe } from '../../../text/safe.js';
import { help, hints } from './keys.js';
import { fill, type Looks, petLines, statusText } from './lines.js';
import { type State, shownPets } from './model.js';
import { choices, idOf, shelfOf } from './shelf.js';

export interface ViewOptions extends Looks {
  /** The profile, or the host where there is none. */
  readonly label: string;
  readonly now: number;
}

/** Above and below the pets: choices, filter and headings; counts, keys and the last line. */
const margins = 6;
/** From so many columns on the chosen pet stands beside the list. */
const wide = 80;

/** How many pets a screen of that size shows. */
export function rowsOf({ rows }: Size): number {
  return Math.max(1, rows - margins);
}

/** The screen: as many lines as there are rows, each narrower than the columns. */
export function view(state: State, size: Size, options: ViewOptions): readonly string[] {
  const width = Math.max(1, size.columns - 1);
  const height = rowsOf(size);
  const pets = shownPets(state);
  const lines = [
    choiceLine(state, width, options),
    filterLine(state, width, options),
    ...bodyOf(state, pets, { width, height: height + 1 }, options),
    options.style.faint(cut(safe(countText(state, pets)), width)),
    noticeLine(state, width, options),
  ];
  const shelf = shelfOf(state.shelves, state.choice);
  const last = statusText(options.show(options.label), state.quota, shelf?.readAt, {
    now: options.now,
    width,
  });
  // On a terminal of few rows the last line stays, since it is what one pays by.
  return [...lines.slice(0, size.rows - 1), options.style.faint(last)];
}

function choiceLine(state: State, width: number, { style }: Looks): string {
  const names = choices.map((choice) => (choice === state.choice ? `[${choice}]` : choice));
  const plain = safe(`Pets ${names.join(' ')}`);
  if (widthOf(plain) > width) return cut(plain, width);
  return ['Pets', ...names]
    .map((name) => (name.startsWith('[') ? style.heading(name) : style.faint(name)))
    .join(' ');
}

function filterLine({ filter, isTyping }: State, width: number, { style, show }: Looks): string {
  if (filter === '' && !isTyping) return style.faint(cut(safe('Type to filter'), width));
  const shown = show(filter);
  // What is typed last is what one looks at.
  const tail = widthOf(shown) > width - 10 ? `…${[...shown].slice(12 - width).join('')}` : shown;
  return `Filter: ${cut(safe(tail), Math.max(1, width - 9))}▏`;
}

interface Box {
  readonly width: number;
  readonly height: number;
}

function bodyOf(
  state: State,
  pets: readonly PetRecord[],
  box: Box,
  looks: Looks,
): readonly string[] {
  const { page, selected, scrolled } = state;
  const pet = pets[selected];
  if (page === 'help') return scrolledTo(scrolled, helpLines(box.width), box.height);
  if (page === 'pet') {
    if (!pet) return padded(['No pet is chosen.'], box.height);
    return scrolledTo(scrolled, petLines(pet, box.width, looks), box.height);
  }
  if (box.width < wide - 1) return listLines(state, pets, box, looks);
  const left = Math.floor(box.width * 0.55);
  const list = listLines(state, pets, { ...box, width: left }, looks);
  const pane = pet ? petLines(pet, box.width - left - 3, looks) : [];
  return list.map((line, index) => `${line} ${looks.style.faint('│')} ${pane[index] ?? ''}`);
}

interface RowLooks {
  readonly text: (text: string) => string;
  readonly status: (text: string) => string;
}

/** A heading and the pets around the chosen one, every line as wide as the box. */
function listLines(
  { selected }: State,
  pets: readonly PetRecord[],
  { width, height }: Box,
  { style, show }: Looks,
): readonly string[] {
  const count = height - 1;
  const first = Math.max(0, Math.min(selected - Math.floor(count / 2), pets.length - count));
  const shown = pets.slice(first, first + count);
  const cells = shown.map((pet) => [idOf(pet), shownText(pet.name), shownText(pet.status)]);
  const safely = cells.map((row) => row.map((cell) => show(cell.slice(0, 500))));
  const widest = (column: number, most: number) =>
    Math.min(most, Math.max(...[...safely.map((row) => widthOf(row[column] ?? '')), 2]));
  // Widths that most pets share, so that nothing moves when one scrolls.
  const idWidth = Math.max(4, widest(0, 19));
  const statusWidth = Math.max(9, widest(2, 12));
  const nameWidth = Math.max(1, width - idWidth - statusWidth - 6);
  const line = (mark: string, [id, name, status]: readonly SafeText[], looks: RowLooks) => {
    const start = `${mark} ${fill(id as SafeText, idWidth)}  `;
    const middle = `${fill(name as SafeText, nameWidth)}  `;
    const text = cut(status as SafeText, statusWidth);
    const padding = ' '.repeat(statusWidth - widthOf(text));
    const whole = safe(`${start}${middle}${text}${padding}`);
    // Too narrow for columns: the beginning is what counts.
    if (widthOf(whole) > width) return fill(whole, width);
    return `${looks.text(start + middle)}${looks.status(text)}${padding}`;
  };
  const headings = line(
    ' ',
    ['id', 'name', 'status'].map((name) => safe(name)),
    { text: style.heading, status: style.heading },
  );
  const rows = safely.map((row, index) => {
    const isChosen = first + index === selected;
    const text = isChosen ? style.heading : (plain: string) => plain;
    return line(isChosen ? '❯' : ' ', row, { text, status: style.status });
  });
  return padded([headings, ...rows], height, ' '.repeat(width));
}

function helpLines(width: number): readonly string[] {
  const items = help.map(([term, text]) => ({ term, text }));
  const lines = layOutItems(items, width).trimEnd().split('\n');
  return lines.map((line) => cut(safe(line), width));
}

/** What is below so many lines, down to the last one. */
function scrolledTo(above: number, lines: readonly string[], height: number): readonly string[] {
  return padded(lines.slice(Math.min(above, Math.max(0, lines.length - height))), height);
}

function padded(lines: readonly string[], height: number, blank = ''): readonly string[] {
  const missing = Math.max(0, height - lines.length);
  return [...lines.slice(0, height), ...Array.from({ length: missing }, () => blank)];
}

function countText(state: State, pets: readonly PetRecord[]): string {
  const shelf = shelfOf(state.shelves, state.choice);
  if (!shelf) return '';
  const all = shelf.pets.length + shelf.added.length;
  const matching = state.filter.trim() === '' ? `${all} read` : `${pets.length} of ${all} match`;
  const place = pets.length === 0 ? '' : `${state.selected + 1}: `;
  if (!shelf.isWhole) return `${place}${matching}, more follow: go past the end`;
  return `${place}${matching}, ${shelf.isSure ? 'all there are' : 'there may be more'}`;
}

/** What one has to know now: a wait, an answer to a key, a request, else the keys. */
function noticeLine(state: State, width: number, { style, show, now }: ViewOptions): string {
  const { page, waits, message, reading } = state;
  const wait = waits.reduce((last, one) => (last && last.until > one.until ? last : one), waits[0]);
  if (wait) {
    const text = `${formatWait(wait.until - now)} ${wait.what}; keys go on working`;
    return cut(show(text), width);
  }
  if (message) {
    const text = cut(show(message.text), width);
    return message.isError ? style.error(text) : text;
  }
  if (reading.length > 0) return cut(safe('reading…'), width);
  if (page === 'help') return cut(safe('arrows scroll, any other key goes back'), width);
  let line = '';
  for (const [key, meaning] of hints) {
    const longer = `${line}${line && ' · '}${key} ${meaning}`;
    if (widthOf(longer) > width) break;
    line = longer;
  }
  return style.faint(cut(safe(line), width));
}
