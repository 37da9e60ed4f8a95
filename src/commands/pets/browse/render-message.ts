import type { PetRecord } from '../../../api/pet.js';
import { displayWidth, truncateToWidth, wrapToWidth } from '../../../format/display-width.js';
import { formatCount, formatDuration } from '../../../format/duration.js';
import { toSafeText } from '../../../format/safe-text.js';
import type { TerminalSize } from '../../../terminal/full-screen.js';
import { formatNames } from './describe-list.js';
import { getKeyHints } from './keys.js';
import { hasMorePages, needsEveryPet } from './loading.js';
import { countFreshPets, findCache } from './page-cache.js';
import type { ScreenOptions } from './render-pets.js';
import type { BrowseState, Wait } from './state.js';

/** A terminal with at most this many rows shows one line of a message. */
const maxRowsToCut = 8;

/**
 * Returns the message and the longest wait, else the progress, else the key hints. A wait in the background is progress: it
 * must not hide an add or its result.
 */
export function renderMessage(
  state: BrowseState,
  pets: readonly PetRecord[],
  { columns, rows }: TerminalSize,
  options: ScreenOptions,
): readonly string[] {
  const width = Math.max(1, columns - 1);
  const maxLines = Math.max(1, Math.min(3, rows - maxRowsToCut));
  const wrap = (text: string, limit = maxLines) => {
    const lines = wrapToWidth(options.sanitize(text), width);
    const last = lines.slice(limit - 1).join(' ');
    return [...lines.slice(0, limit - 1), ...(last === '' ? [] : [truncateToWidth(toSafeText(last), width)])];
  };
  const { style, now } = options;
  const wait = describeWait(state, now);
  const { text, severity, until = Number.POSITIVE_INFINITY } = state.message ?? {};
  if (text !== undefined && now < until) {
    const line = typeof text === 'string' ? text : text(now);
    const waitLines = wait && maxLines > 1 ? wrap(wait, 1) : [];
    const limit = maxLines - waitLines.length;
    if (!severity) return [...wrap(line, limit), ...waitLines];
    const lines = wrap(`${severity === 'error' ? '✗' : '!'} ${line}`, limit);
    return [...lines.map((part) => style[severity](part)), ...waitLines];
  }
  const progress = wait ?? describeProgress(state, now);
  return progress ? wrap(progress) : [style.dim(formatKeyHints(state, pets, width))];
}

/** Returns the longest wait in the foreground, and which keys work. */
function describeWait({ waits, adds, loading }: BrowseState, now: number): string | undefined {
  const wait = findLongest(waits.filter(({ background }) => !background));
  if (!wait) return undefined;
  const unsent = adds.filter(({ isSent }) => !isSent);
  if (unsent.length > 0) return `Adding ${formatNames(unsent)}: waiting ${formatLeft(wait, now)}; Esc cancels`;
  return `Waiting ${formatLeft(wait, now)}; ${loading.length > 0 ? 'Esc stops' : 'keys still work'}`;
}

function describeProgress(state: BrowseState, now: number): string | undefined {
  const { waits, adds, loading, view } = state;
  if (adds.length > 0) {
    const unsent = adds.filter(({ isSent }) => !isSent);
    const isMixed = unsent.length > 0 && unsent.length < adds.length;
    return `Adding ${formatNames(adds)}… ${isMixed ? `Esc cancels ${formatNames(unsent)}` : 'Ctrl-C quits'}`;
  }
  const wait = findLongest(waits);
  if (wait) {
    const canLoadMore = wait.background?.canLoadMore === true && wait.background.status === state.status;
    return `Waiting ${formatLeft(wait, now)}; Esc stops${canLoadMore ? ', End loads more' : ''}`;
  }
  if (loading.length > 0) {
    const loaded = countFreshPets(findCache(state.caches, state.status));
    const count = loaded === 0 ? '' : ` ${formatCount(loaded, 'pet')} so far.`;
    return `Loading…${count} Esc stops`;
  }
  return view === 'help' ? 'Arrows scroll; other keys close help' : undefined;
}

function findLongest(waits: readonly Wait[]): Wait | undefined {
  return waits.toSorted((one, other) => other.until - one.until)[0];
}

function formatLeft({ until, reason }: Wait, now: number): string {
  return `${formatDuration(until - now)} ${reason}`;
}

/** Returns as many key hints as fit. */
function formatKeyHints(state: BrowseState, pets: readonly PetRecord[], width: number): string {
  let line = '';
  const canLoadRest = needsEveryPet(state) && hasMorePages(state);
  for (const [key, meaning] of getKeyHints(state, { hasPets: pets.length > 0, canLoadRest })) {
    const longer = `${line}${line && ' · '}${key} ${meaning}`;
    if (displayWidth(longer) > width) break;
    line = longer;
  }
  return truncateToWidth(toSafeText(line), width);
}
