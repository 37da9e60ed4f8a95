import type { PetRecord } from '../../../api/pet.js';
import { displayWidth, truncateToWidth, wrapToWidth } from '../../../format/display-width.js';
import { formatCount, formatDuration, formatNumber } from '../../../format/duration.js';
import { type SafeText, toSafeText } from '../../../format/safe-text.js';
import { formatDefinitionList } from '../../../format/wrap.js';
import { findRemaining, formatQuota } from '../../../quota/rate-limit-info.js';
import type { TerminalSize } from '../../../terminal/full-screen.js';
import { getKeyHints, keyHelp } from './keys.js';
import { renderPetDetails } from './render-details.js';
import { type Area, fitToHeight, getPreferredListWidth, renderPetList, type ScreenOptions } from './render-pets.js';
import { type BrowseState, type Message, statusFilters, type Viewport } from './state.js';
import { getVisiblePets } from './visible-pets.js';

/** Lines beside the pets: tabs, search, headings, count, message and status line. */
const chromeHeight = 6;
/** The minimum width of the screen, in columns, that shows list and details side by side. */
const minSplitWidth = 80;
/** A terminal with at most this many rows shows one line of a message. */
const maxRowsToCut = 8;

/** Returns how much fits on a screen of this size. */
export function getViewport(state: BrowseState, size: TerminalSize, options: ScreenOptions): Viewport {
  const area = getBodyArea(size, renderMessage(state, size, options));
  const text = renderText(state, area, options) ?? [];
  return { petRows: area.height - 1, maxScrollOffset: maxOffset(text, area) };
}

/** Returns the lines of the screen: at most one per row, each narrower than the columns. */
export function renderScreen(state: BrowseState, size: TerminalSize, options: ScreenOptions): readonly string[] {
  const message = renderMessage(state, size, options);
  const area = getBodyArea(size, message);
  const { width } = area;
  const { dim } = options.style;
  const lines = [
    renderStatusTabs(state, width, options),
    renderSearch(state, width, options),
    ...renderBody(state, area, options),
    dim(truncateToWidth(toSafeText(formatFooter(state, area, options)), width)),
    ...message,
  ];
  // A short terminal keeps the status line, since requests use up the quota.
  return [...lines.slice(0, size.rows - 1), dim(formatStatusLine(state, width, options))];
}

/** Returns the area of list, details or help. The last column stays free: some terminals wrap there. */
function getBodyArea({ columns, rows }: TerminalSize, message: readonly string[]): Area {
  const height = rows - chromeHeight - (message.length - 1);
  return { width: Math.max(1, columns - 1), height: Math.max(1, height) + 1 };
}

function renderStatusTabs({ status }: BrowseState, width: number, { style }: ScreenOptions): string {
  const tabs = statusFilters.map((filter) => (filter === status ? `[${filter}]` : filter));
  const plain = toSafeText(`Pets ${tabs.join(' ')}`);
  if (displayWidth(plain) > width) return truncateToWidth(plain, width);
  return ['Pets', ...tabs].map((tab) => (tab.startsWith('[') ? style.heading(tab) : style.dim(tab))).join(' ');
}

function renderSearch({ search, isTyping }: BrowseState, width: number, { style, sanitize }: ScreenOptions): string {
  if (search === '' && !isTyping) return style.dim(truncateToWidth(toSafeText('Type to filter'), width));
  const text = sanitize(search);
  // Keeps the end visible, where the cursor is.
  const end = displayWidth(text) > width - 10 ? `…${[...text].slice(12 - width).join('')}` : text;
  return `Filter: ${truncateToWidth(toSafeText(end), Math.max(1, width - 9))}▏`;
}

function renderBody(state: BrowseState, area: Area, options: ScreenOptions): readonly string[] {
  const { selected, scrollOffset } = state;
  const { width, height } = area;
  const pets = getVisiblePets(state);
  const pet = pets[selected];
  const text = renderText(state, area, options);
  // The offset may be too large after the screen has grown.
  if (text) return fitToHeight(text.slice(Math.min(scrollOffset, maxOffset(text, area))), height);
  if (!pet) {
    const lines = wrapToWidth(options.sanitize(describeEmptyList(state)), Math.max(1, width - 2));
    return fitToHeight([...(lines.length < height ? [''] : []), ...lines.map((line) => `  ${line}`)], height);
  }
  if (width < minSplitWidth - 1) return renderPetList(pets, state, area, options);
  const preferredWidth = getPreferredListWidth(pets, selected, area, options);
  const listWidth = Math.min(Math.floor(width * 0.55), preferredWidth);
  const list = renderPetList(pets, state, { height, width: listWidth }, options);
  const details = fitDetails(renderPetDetails(pet, width - listWidth - 3, options), height, options);
  return list.map((line, index) => `${line} ${options.style.dim('│')} ${details[index] ?? ''}`);
}

/** Cuts details that are too long for the pane, and says how to see the rest. */
function fitDetails(lines: readonly string[], height: number, { style }: ScreenOptions): readonly string[] {
  if (lines.length <= height) return lines;
  return [
    ...lines.slice(0, height - 1),
    style.dim(`… ${formatCount(lines.length - height + 1, 'more line')}: press Enter`),
  ];
}

/** Returns the lines of details or help; undefined for the list. */
function renderText(state: BrowseState, { width }: Area, options: ScreenOptions): readonly string[] | undefined {
  if (state.view === 'list') return undefined;
  if (state.view === 'details') {
    const pet: PetRecord | undefined = getVisiblePets(state)[state.selected];
    return pet ? renderPetDetails(pet, width, options) : ['No pet is selected.'];
  }
  const items = keyHelp.map(([term, text]) => ({ term, text }));
  const lines = formatDefinitionList(items, width).trimEnd().split('\n');
  return lines.map((line) => truncateToWidth(toSafeText(line), width));
}

function maxOffset(text: readonly string[], { height }: Area): number {
  return Math.max(0, text.length - height);
}

/** Returns why no pet is listed, and what to press. */
function describeEmptyList({ search, status, pets, loaded, loading, isReadOnly }: BrowseState): string {
  if (loaded === 'none') return loading ? 'Loading…' : 'No pets are loaded. Press Ctrl-R to load them.';
  if (search.trim() !== '') {
    const more = loaded === 'partial' ? 'Press End to load the rest.' : 'Press Esc to clear the filter.';
    return `No match in ${formatCount(pets.length, 'loaded pet')}. ${more}`;
  }
  const [orAdd, add] = isReadOnly ? ['', ''] : [', or Ctrl-N to add a pet', 'Ctrl-N to add one, or '];
  if (status !== 'all') return `No pet is ${status}. Press Tab for another status${orAdd}.`;
  return `The service has no pets. Press ${add}Ctrl-R to reload.`;
}

/** Returns how many lines of text are below the screen, and the position in the list. */
function formatFooter(state: BrowseState, area: Area, options: ScreenOptions): string {
  const text = renderText(state, area, options) ?? [];
  const below = text.length - Math.min(state.scrollOffset, maxOffset(text, area)) - area.height;
  const parts = [
    ...(below > 0 ? [`${formatCount(below, 'more line')}: press PgDn`] : []),
    ...(state.view === 'help' || state.loaded === 'none' ? [] : [formatPosition(state)]),
  ];
  return parts.join(' · ');
}

/** Returns the position in the list, how many pets match and are loaded, and the order: `1 of 74 · sorted by name`. */
function formatPosition(state: BrowseState): string {
  const { pets, loaded, loading, search, selected, sort } = state;
  const visible = getVisiblePets(state).length;
  const more = { partial: 'more to load', unknown: 'there may be more', complete: '', none: '' }[loaded];
  const rest = loading ? 'loading more' : more;
  const total = rest === '' ? formatCount(pets.length, 'pet') : `${formatNumber(pets.length)} loaded, ${rest}`;
  const matches = visible === 1 ? '1 match' : `${formatNumber(visible)} matches`;
  const set = search.trim() === '' ? total : `${matches} in ${total}`;
  const position = visible === 0 ? '' : `${formatNumber(selected + 1)} of `;
  return `${position}${set}${sort === 'id' ? '' : ` · sorted by ${sort}`}`;
}

/** Returns the message, then the wait or the progress; without them the key hints. */
function renderMessage(state: BrowseState, { columns, rows }: TerminalSize, options: ScreenOptions): readonly string[] {
  const { message } = state;
  const width = Math.max(1, columns - 1);
  const limit = Math.max(1, Math.min(3, rows - maxRowsToCut));
  const wrap = (text = '', max = limit) => {
    const lines = wrapToWidth(options.sanitize(text), width);
    const last = lines.slice(max - 1).join(' ');
    return [...lines.slice(0, max - 1), truncateToWidth(toSafeText(last), width)].filter((line) => line !== '');
  };
  const severity = message?.severity;
  const messageLines = wrap(message && formatMessage(message, options.now));
  const lines = severity ? messageLines.map((line) => options.style[severity](line)) : messageLines;
  const left = limit - lines.length;
  if (left > 0) lines.push(...wrap(formatProgress(state, options.now), left));
  return lines.length > 0 ? lines : [options.style.dim(formatKeyHints(state, width))];
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
  for (const [key, meaning] of getKeyHints(state, getVisiblePets(state).length > 0)) {
    const longer = `${line}${line && ' · '}${key} ${meaning}`;
    if (displayWidth(longer) > width) break;
    line = longer;
  }
  return truncateToWidth(toSafeText(line), width);
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
