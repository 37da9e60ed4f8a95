import type { PetRecord } from '../../../api/pet.js';
import { displayWidth, truncateToWidth, wrapToWidth } from '../../../format/display-width.js';
import { formatCount, formatDuration, formatNumber } from '../../../format/duration.js';
import { type SafeText, toSafeText } from '../../../format/safe-text.js';
import { formatDefinitionList } from '../../../format/wrap.js';
import { findRemaining, formatQuota } from '../../../quota/rate-limit-info.js';
import type { TerminalSize } from '../../../terminal/full-screen.js';
import { describeEmptyList, formatPosition } from './describe-list.js';
import { keyHelp, splitAtCursor } from './keys.js';
import { findBatch, findCache, statusFilters } from './page-cache.js';
import { renderPetDetails, renderPetJson } from './render-details.js';
import { renderMessage } from './render-message.js';
import { type Area, fitToHeight, getPreferredListWidth, renderPetList, type ScreenOptions } from './render-pets.js';
import type { BrowseState, Viewport } from './state.js';
import { getVisiblePets } from './visible-pets.js';

/** Lines beside the pets: tabs, search, headings, count, message and status line. */
const chromeHeight = 6;
/** The minimum width of the screen, in columns, that shows list and details side by side. */
const minSplitWidth = 80;

/** Returns how much fits on a screen of this size. */
export function getViewport(state: BrowseState, size: TerminalSize, options: ScreenOptions): Viewport {
  const pets = getVisiblePets(state);
  const area = getBodyArea(size, renderMessage(state, pets, size, options));
  const text = renderText(state, pets[state.selected], area, options) ?? [];
  return { petRows: area.height - 1, maxScrollOffset: maxOffset(text, area) };
}

/** Returns the area of list, details or help. The last column stays free: some terminals wrap there. */
function getBodyArea({ columns, rows }: TerminalSize, message: readonly string[]): Area {
  const height = rows - chromeHeight - (message.length - 1);
  return { width: Math.max(1, columns - 1), height: Math.max(1, height) + 1 };
}

/** Returns the lines of the screen: at most one per row, each narrower than the columns. */
export function renderScreen(state: BrowseState, size: TerminalSize, options: ScreenOptions): readonly string[] {
  const pets = getVisiblePets(state);
  const message = renderMessage(state, pets, size, options);
  const area = getBodyArea(size, message);
  const { width } = area;
  const { dim } = options.style;
  const position = formatFooter(state, pets, area, options);
  const lines = [
    renderStatusTabs(state, width, options),
    renderSearch(state, width, options),
    ...renderBody(state, pets, area, options),
    dim(truncateToWidth(toSafeText(position), width)),
    ...message,
  ];
  // A short terminal keeps the status line, since requests use up the quota.
  return [...lines.slice(0, size.rows - 1), dim(formatStatusLine(state, width, options))];
}

function renderStatusTabs({ status }: BrowseState, width: number, { style }: ScreenOptions): string {
  const tabs = statusFilters.map((filter) => (filter === status ? `[${filter}]` : filter));
  const plain = toSafeText(`Pets ${tabs.join(' ')}`);
  if (displayWidth(plain) > width) return truncateToWidth(plain, width);
  return ['Pets', ...tabs].map((tab) => (tab.startsWith('[') ? style.heading(tab) : style.dim(tab))).join(' ');
}

function renderSearch(state: BrowseState, width: number, options: ScreenOptions): string {
  const { search, isTyping } = state;
  const { style, sanitize } = options;
  if (search === '' && !isTyping) return style.dim(truncateToWidth(toSafeText('Type to filter'), width));
  const [before, after] = splitAtCursor(state).map(sanitize) as [SafeText, SafeText];
  // Keeps the cursor visible.
  const tail = displayWidth(before) > width - 10 ? `…${[...before].slice(12 - width).join('')}` : before;
  const start = `Filter: ${truncateToWidth(toSafeText(tail), Math.max(1, width - 9))}▏`;
  const rest = width - displayWidth(toSafeText(start));
  return rest < 1 ? start : start + truncateToWidth(after, rest);
}

function renderBody(
  state: BrowseState,
  pets: readonly PetRecord[],
  area: Area,
  options: ScreenOptions,
): readonly string[] {
  const { selected, scrollOffset } = state;
  const { width, height } = area;
  const pet = pets[selected];
  const text = renderText(state, pet, area, options);
  // The offset may be too large after the screen has grown.
  if (text) return fitToHeight(text.slice(Math.min(scrollOffset, maxOffset(text, area))), height);
  if (!pet) {
    const lines = renderEmptyList(state, width, options);
    return fitToHeight(lines.length < height ? ['', ...lines] : lines, height);
  }
  if (width < minSplitWidth - 1) return renderPetList(pets, state, area, options);
  const preferredWidth = getPreferredListWidth(pets, selected, area, options);
  const listWidth = Math.min(Math.floor(width * 0.55), preferredWidth);
  const list = renderPetList(pets, state, { height, width: listWidth }, options);
  const details = fitDetails(renderDetails(state, pet, width - listWidth - 3, options), height, options);
  return list.map((line, index) => `${line} ${options.style.dim('│')} ${details[index] ?? ''}`);
}

function renderDetails(state: BrowseState, pet: PetRecord, width: number, options: ScreenOptions): readonly string[] {
  const batch = findBatch(findCache(state.caches, state.status), pet);
  return renderPetDetails(pet, width, { ...options, batch });
}

/** Cuts details that are too long for the pane, and says how to see the rest. */
function fitDetails(lines: readonly string[], height: number, { style }: ScreenOptions): readonly string[] {
  if (lines.length <= height) return lines;
  const withoutTitle = omitTitle(lines);
  if (withoutTitle.length <= height) return withoutTitle;
  const kept = withoutTitle.slice(0, height - 1);
  return [...kept, style.dim(`… ${describeRest(withoutTitle.slice(height - 1))}: press Enter`)];
}

/** Returns details without the name above them, which is one of the fields, too. */
function omitTitle(lines: readonly string[]): readonly string[] {
  return lines.slice(lines.indexOf('') + 1);
}

/** Returns why no pet is listed, and what to press. */
function renderEmptyList(state: BrowseState, width: number, { sanitize }: ScreenOptions): readonly string[] {
  return wrapToWidth(sanitize(describeEmptyList(state)), Math.max(1, width - 2)).map((line) => `  ${line}`);
}

/** Returns the lines of details or help; undefined for the list. */
function renderText(
  state: BrowseState,
  pet: PetRecord | undefined,
  area: Area,
  options: ScreenOptions,
): readonly string[] | undefined {
  const { view } = state;
  const { width, height } = area;
  if (view === 'list') return undefined;
  if (view === 'details') {
    if (!pet) return ['No pet is selected.'];
    const lines = [...renderDetails(state, pet, width, options), ...renderPetJson(pet, width, options)];
    return lines.length <= height ? lines : omitTitle(lines);
  }
  const items = keyHelp.map(([term, text]) => ({ term, text }));
  return formatDefinitionList(items, width)
    .trimEnd()
    .split('\n')
    .map((line) => truncateToWidth(toSafeText(line), width));
}

/** Returns how many lines of text are below the screen, and the position in the list. */
function formatFooter(state: BrowseState, pets: readonly PetRecord[], area: Area, options: ScreenOptions): string {
  const text = renderText(state, pets[state.selected], area, options) ?? [];
  const below = text.slice(Math.min(state.scrollOffset, maxOffset(text, area)) + area.height);
  const parts = [
    ...(below.length > 0 ? [`${describeRest(below)}: press PgDn`] : []),
    ...(state.view === 'help' ? [] : [formatPosition(state, pets)]),
  ];
  return parts.join(' · ');
}

/** Returns how many lines are not shown: `2 more lines`. */
function describeRest(lines: readonly string[]): string {
  return formatCount(lines.filter((line) => line !== '').length, 'more line');
}

function maxOffset(text: readonly string[], { height }: Area): number {
  return Math.max(0, text.length - height);
}

/** Returns profile, quota and age of the list; shortens the quota, then the profile, to fit. */
function formatStatusLine(state: BrowseState, width: number, options: ScreenOptions): SafeText {
  const { now, sanitize } = options;
  const { limit } = state.quota;
  const remaining = findRemaining(state.quota, now);
  const cache = findCache(state.caches, state.status);
  const seconds = Math.floor(Math.max(0, now - (cache?.pages[0]?.at ?? now)) / 1000);
  const age = cache ? `loaded ${formatDuration(seconds * 1000)} ago` : 'not loaded yet';
  const name = sanitize(`${options.label}${state.isReadOnly ? ' (read-only)' : ''}`);
  const long = `${name} · ${formatQuota(state.quota, now) ?? 'quota unknown'} · ${age}`;
  if (displayWidth(long) <= width) return toSafeText(long);
  const left = remaining === undefined ? 'quota unknown' : `${formatNumber(remaining)} left`;
  const ratio =
    limit === undefined || remaining === undefined ? left : `${formatNumber(remaining)}/${formatNumber(limit)} left`;
  const [end = ` · ${left} · ${age}`] = [` · ${ratio} · ${age}`].filter((text) => displayWidth(name + text) <= width);
  const start = truncateToWidth(name, Math.max(3, width - displayWidth(end)));
  return truncateToWidth(toSafeText(`${start}${end}`), width);
}
