import { displayWidth, truncateToWidth, wrapToWidth } from '../../../format/display-width.js';
import { formatCount, formatDuration, formatNumber } from '../../../format/duration.js';
import { splitFilter } from '../../../format/fold-text.js';
import { type SafeText, toSafeText } from '../../../format/safe-text.js';
import { formatDefinitionList } from '../../../format/wrap.js';
import { findRemaining, formatQuota } from '../../../quota/rate-limit-info.js';
import type { TerminalSize } from '../../../terminal/full-screen.js';
import { getKeyHints, keyHelp, type Viewport } from './keys.js';
import { type BrowseState, getSelectedIndex, type Message, statusFilters } from './model.js';
import { fitToHeight, type RenderStyle, renderPetDetails, renderPetList } from './render-pets.js';
import { getVisiblePets } from './visible-pets.js';

export interface ScreenOptions extends RenderStyle {
  /** The profile, or the host of the service. */
  readonly label: string;
  /** In milliseconds since the Unix epoch. */
  readonly now: number;
}

export interface Screen {
  /** At most one per row, each narrower than the columns. */
  readonly lines: readonly string[];
  readonly viewport: Viewport;
}

/** Tabs, filter, position and status line. */
const chromeHeight = 4;
/** The minimum width of the screen, in columns, that shows list and details side by side. */
const minSplitWidth = 80;

/** Draws the screen. */
export function renderScreen(state: BrowseState, { columns, rows }: TerminalSize, options: ScreenOptions): Screen {
  const { dim } = options.style;
  // The last column stays free: some terminals wrap there.
  const width = Math.max(1, columns - 1);
  const notes = renderNotes(state, width, rows < 10 ? 1 : 3, options);
  const height = Math.max(2, rows - chromeHeight - notes.length);
  const text = renderText(state, width, options);
  const maxScrollOffset = Math.max(0, text.length - height);
  // The offset may be too large after the screen has grown.
  const offset = Math.min(state.scrollOffset, maxScrollOffset);
  const body = state.view === 'list' ? renderList(state, width, height, options) : text.slice(offset);
  const below = text.length - offset - height;
  const position = [
    ...(below > 0 ? [`${formatCount(below, 'more line')}: press PgDn`] : []),
    ...(state.view === 'help' || state.hasMore === undefined ? [] : [formatPosition(state)]),
  ].join(' · ');
  const lines = [
    renderStatusTabs(state, width, options),
    renderFilter(state, width, options),
    ...fitToHeight(body, height),
    dim(truncateToWidth(toSafeText(position), width)),
    ...notes,
  ];
  // A short terminal keeps the status line, since requests use up the quota.
  const statusLine = dim(formatStatusLine(state, width, options));
  return { lines: [...lines.slice(0, rows - 1), statusLine], viewport: { petRows: height - 1, maxScrollOffset } };
}

function renderStatusTabs({ status }: BrowseState, width: number, { style }: ScreenOptions): string {
  const tabs = ['Pets', ...statusFilters.map((filter) => (filter === status ? `[${filter}]` : filter))];
  const plain = toSafeText(tabs.join(' '));
  if (displayWidth(plain) > width) return truncateToWidth(plain, width);
  return tabs.map((tab) => (tab === 'Pets' || tab.startsWith('[') ? style.heading(tab) : style.dim(tab))).join(' ');
}

function renderFilter({ search }: BrowseState, width: number, { style, sanitize }: ScreenOptions): string {
  if (search === undefined) return style.dim(truncateToWidth(toSafeText('Type to filter'), width));
  const text = sanitize(search);
  // Keeps the end visible, where the cursor is.
  const end = displayWidth(text) > width - 10 ? `…${[...text].slice(12 - width).join('')}` : text;
  return `Filter: ${truncateToWidth(toSafeText(end), Math.max(1, width - 9))}▏`;
}

/** Returns the lines of details or help; none for the list. */
function renderText(state: BrowseState, width: number, options: ScreenOptions): readonly string[] {
  if (state.view === 'list') return [];
  if (state.view === 'details') {
    const pet = getVisiblePets(state)[getSelectedIndex(state)];
    return pet ? renderPetDetails(pet, width, options) : ['No pet is selected.'];
  }
  const items = keyHelp.map(([term, text]) => ({ term, text }));
  const lines = formatDefinitionList(items, width).trimEnd().split('\n');
  return lines.map((line) => truncateToWidth(toSafeText(line), width));
}

/** Returns the list of pets, with the details of the selected one beside it if the width allows. */
function renderList(state: BrowseState, width: number, height: number, options: ScreenOptions): readonly string[] {
  const pets = getVisiblePets(state);
  const selected = getSelectedIndex(state);
  const pet = pets[selected];
  if (!pet) {
    const lines = wrapToWidth(options.sanitize(describeEmptyList(state)), Math.max(1, width - 2));
    return ['', ...lines.map((line) => `  ${line}`)].slice(lines.length < height ? 0 : 1);
  }
  const isSplit = width >= minSplitWidth - 1;
  const maxWidth = isSplit ? Math.floor(width * 0.55) : width;
  const words = splitFilter(state.search ?? '');
  const list = renderPetList(pets, selected, { ...options, maxWidth, height, words });
  if (!isSplit) return list;
  const details = renderPetDetails(pet, width - displayWidth(list[0] ?? '') - 3, options);
  return list.map((line, index) => `${line} ${options.style.dim('│')} ${details[index] ?? ''}`);
}

/** Returns why no pet is listed, and what to press. */
function describeEmptyList({ search = '', status, pets, hasMore, loading, isReadOnly }: BrowseState): string {
  if (hasMore === undefined) return loading ? 'Loading…' : 'No pets are loaded. Press Ctrl-R to load them.';
  if (search.trim() !== '') {
    const more = hasMore === 'yes' ? 'Press End to load the rest.' : 'Press Esc to clear the filter.';
    return `No match in ${formatCount(pets.length, 'loaded pet')}. ${more}`;
  }
  const [orAdd, add] = isReadOnly ? ['', ''] : [', or Ctrl-N to add a pet', 'Ctrl-N to add one, or '];
  if (status !== 'all') return `No pet is ${status}. Press Tab for another status${orAdd}.`;
  return `The service has no pets. Press ${add}Ctrl-R to reload.`;
}

const restNotes = { yes: 'more to load', perhaps: 'there may be more', no: '' } as const;

/** Returns the position in the list, how many pets match and are loaded, and the order: `1 of 74 · sorted by name`. */
function formatPosition(state: BrowseState): string {
  const { pets, hasMore = 'no', loading, search = '', sort } = state;
  const visible = getVisiblePets(state).length;
  const rest = loading ? 'loading more' : restNotes[hasMore];
  const total = rest === '' ? formatCount(pets.length, 'pet') : `${formatNumber(pets.length)} loaded, ${rest}`;
  const matches = visible === 1 ? '1 match' : `${formatNumber(visible)} matches`;
  const set = search.trim() === '' ? total : `${matches} in ${total}`;
  const position = visible === 0 ? '' : `${formatNumber(getSelectedIndex(state) + 1)} of `;
  return `${position}${set}${sort === 'id' ? '' : ` · sorted by ${sort}`}`;
}

/** Returns the message, then the wait or the progress, in at most `limit` lines; without them the key hints. */
function renderNotes(state: BrowseState, width: number, limit: number, options: ScreenOptions): readonly string[] {
  const { message } = state;
  const { style, sanitize, now } = options;
  const wrap = (text = '') => wrapToWidth(sanitize(text), width).filter((line) => line !== '');
  const paint = message?.severity ? style[message.severity] : (line: string) => line;
  const lines = [
    ...wrap(message && formatMessage(message, now)).map((line) => paint(line)),
    ...wrap(formatProgress(state, now)),
  ];
  return lines.length > 0 ? lines.slice(0, limit) : [style.dim(formatKeyHints(state, width))];
}

/** Returns a message with the mark of its severity, and the time until a retry makes sense. */
function formatMessage({ text, severity, retryAt = 0, hint }: Message, now: number): string {
  const mark = severity ? `${severity === 'error' ? '✗' : '!'} ` : '';
  const countdown = retryAt > now ? `; retry in ${formatDuration(retryAt - now)}` : '';
  return `${mark}${text}${countdown}${hint === undefined ? '' : ` (${hint})`}`;
}

function formatProgress({ wait, loading, pets }: BrowseState, now: number): string | undefined {
  if (wait) return `Waiting ${formatDuration(wait.until - now)} ${wait.reason}; Esc stops`;
  return loading && `Loading…${pets.length === 0 ? '' : ` ${formatCount(pets.length, 'pet')} so far.`} Esc stops`;
}

/** Returns as many key hints as fit. */
function formatKeyHints(state: BrowseState, width: number): string {
  let line = '';
  for (const [key, meaning] of getKeyHints(state)) {
    const longer = `${line}${line && ' · '}${key} ${meaning}`;
    if (displayWidth(longer) > width) break;
    line = longer;
  }
  return line;
}

/** Returns profile and quota; shortens the quota, then the profile, to fit. */
function formatStatusLine({ quota, isReadOnly }: BrowseState, width: number, options: ScreenOptions): SafeText {
  const { now, sanitize, label } = options;
  const name = sanitize(`${label}${isReadOnly ? ' (read-only)' : ''}`);
  const long = ` · ${formatQuota(quota, now) ?? 'quota unknown'}`;
  const remaining = findRemaining(quota, now);
  const short = remaining === undefined ? long : ` · ${formatNumber(remaining)} left`;
  const end = displayWidth(name + long) <= width ? long : short;
  const start = truncateToWidth(name, Math.max(3, width - displayWidth(end)));
  return truncateToWidth(toSafeText(`${start}${end}`), width);
}
