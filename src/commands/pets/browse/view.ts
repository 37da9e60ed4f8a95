import type { PetRecord } from '../../../api/pet.js';
import { formatDefinitionList } from '../../../format/definition-list.js';
import { displayWidth, truncateToWidth } from '../../../format/display-width.js';
import { formatWait } from '../../../format/duration.js';
import { toSafeText } from '../../../format/safe-text.js';
import type { TerminalSize } from '../../../terminal/full-screen.js';
import { help, hintsFor } from './keys.js';
import { type Box, type Looks, padded, petLines, statusText } from './lines.js';
import { listLines } from './list.js';
import { type Room, type State, shownPets } from './model.js';
import { choices, shelfOf } from './page-cache.js';

export interface ViewOptions extends Looks {
  /** The profile, or the host where there is none. */
  readonly label: string;
  readonly now: number;
}

/** Above and below the pets: choices, filter and headings; counts, keys and the last line. */
const margins = 6;
/** From so many columns on the chosen pet stands beside the list. */
const wide = 80;

/** What there is room for on a screen of that size. */
export function roomOf(state: State, size: TerminalSize, looks: Looks): Room {
  const rows = rowsOf(size);
  const pet = shownPets(state)[state.selected];
  const text = textOf(state, pet, widthIn(size), looks) ?? [];
  return { rows, below: overflow(text, { width: widthIn(size), height: rows + 1 }) };
}

function rowsOf({ rows }: TerminalSize): number {
  return Math.max(1, rows - margins);
}

/** What fills the last column may end on the next line. */
function widthIn({ columns }: TerminalSize): number {
  return Math.max(1, columns - 1);
}

/** The screen: as many lines as there are rows, each narrower than the columns. */
export function view(state: State, size: TerminalSize, options: ViewOptions): readonly string[] {
  const width = widthIn(size);
  const height = rowsOf(size);
  const pets = shownPets(state);
  const lines = [
    choiceLine(state, width, options),
    filterLine(state, width, options),
    ...bodyOf(state, pets, { width, height: height + 1 }, options),
    options.style.dim(truncateToWidth(toSafeText(countText(state, pets)), width)),
    noticeLine(state, width, options),
  ];
  const shelf = shelfOf(state.shelves, state.choice);
  const last = statusText(options.show(options.label), state.quota, shelf?.readAt, {
    now: options.now,
    width,
  });
  // On a terminal of few rows the last line stays, since it is what one pays by.
  return [...lines.slice(0, size.rows - 1), options.style.dim(last)];
}

function choiceLine(state: State, width: number, { style }: Looks): string {
  const names = choices.map((choice) => (choice === state.choice ? `[${choice}]` : choice));
  const plain = toSafeText(`Pets ${names.join(' ')}`);
  if (displayWidth(plain) > width) return truncateToWidth(plain, width);
  return ['Pets', ...names]
    .map((name) => (name.startsWith('[') ? style.heading(name) : style.dim(name)))
    .join(' ');
}

function filterLine({ filter, isTyping }: State, width: number, { style, show }: Looks): string {
  if (filter === '' && !isTyping)
    return style.dim(truncateToWidth(toSafeText('Type to filter'), width));
  const shown = show(filter);
  // What is typed last is what one looks at.
  const tail =
    displayWidth(shown) > width - 10 ? `…${[...shown].slice(12 - width).join('')}` : shown;
  return `Filter: ${truncateToWidth(toSafeText(tail), Math.max(1, width - 9))}▏`;
}

/** What stands in place of the list, if anything does. */
function textOf(
  { page }: State,
  pet: PetRecord | undefined,
  width: number,
  looks: Looks,
): readonly string[] | undefined {
  if (page === 'list') return undefined;
  if (page === 'help') return helpLines(width);
  return pet ? petLines(pet, width, looks) : ['No pet is chosen.'];
}

function bodyOf(
  state: State,
  pets: readonly PetRecord[],
  box: Box,
  looks: Looks,
): readonly string[] {
  const { selected, scrolled } = state;
  const pet = pets[selected];
  const text = textOf(state, pet, box.width, looks);
  // The last lines stay on the screen, however small it becomes.
  if (text) return padded(text.slice(Math.min(scrolled, overflow(text, box))), box.height);
  if (box.width < wide - 1) return listLines(state, pets, box, looks);
  const left = Math.floor(box.width * 0.55);
  const list = listLines(state, pets, { ...box, width: left }, looks);
  const pane = pet ? petLines(pet, box.width - left - 3, looks) : [];
  return list.map((line, index) => `${line} ${looks.style.dim('│')} ${pane[index] ?? ''}`);
}

function helpLines(width: number): readonly string[] {
  const items = help.map(([term, text]) => ({ term, text }));
  return formatDefinitionList(items, width)
    .split('\n')
    .map((line) => truncateToWidth(toSafeText(line), width));
}

function overflow(text: readonly string[], { height }: Box): number {
  return Math.max(0, text.length - height);
}

function countText(state: State, pets: readonly PetRecord[]): string {
  if (state.page === 'help') return '';
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
    return truncateToWidth(show(text), width);
  }
  if (message) {
    const text = truncateToWidth(show(message.text), width);
    return message.isError ? style.error(text) : text;
  }
  if (reading.length > 0) return truncateToWidth(toSafeText('reading…'), width);
  if (page === 'help')
    return truncateToWidth(toSafeText('arrows scroll, any other key goes back'), width);
  let line = '';
  for (const [key, meaning] of hintsFor(state)) {
    const longer = `${line}${line && ' · '}${key} ${meaning}`;
    if (displayWidth(longer) > width) break;
    line = longer;
  }
  return style.dim(truncateToWidth(toSafeText(line), width));
}
