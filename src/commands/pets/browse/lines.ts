import { type PetRecord, petFields } from '../../../api/pet.js';
import type { Quota } from '../../../api/rate-limit-headers.js';
import { toDisplayText } from '../../../format/cell.js';
import { displayWidth, truncateToWidth, wrapToWidth } from '../../../format/display-width.js';
import { formatDuration } from '../../../format/duration.js';
import { type SafeText, toSafeText, truncate } from '../../../format/safe-text.js';
import { formatQuota } from '../../../quota/status-line.js';
import type { Style } from '../../../terminal/style.js';

/** What lines are made with. */
export interface Looks {
  readonly style: Style;
  /** Text from outside, so that it can be shown. */
  readonly show: (text: string) => SafeText;
}

/** A part of the screen. */
export interface Box {
  readonly width: number;
  readonly height: number;
}

/** Lines for a part of the screen: as many as it has. */
export function padded(lines: readonly string[], height: number, blank = ''): readonly string[] {
  const missing = Math.max(0, height - lines.length);
  return [...lines.slice(0, height), ...Array.from({ length: missing }, () => blank)];
}

/** Cut to the width, or filled up to it. */
export function fill(text: SafeText, width: number): string {
  const short = truncateToWidth(text, width);
  return `${short}${' '.repeat(Math.max(0, width - displayWidth(short)))}`;
}

/** A pet in full, `key: value` a line, nothing cut: the interface's fields first. */
export function petLines(pet: PetRecord, width: number, { style, show }: Looks): readonly string[] {
  const known = petFields.map(({ name }) => name);
  const keys = [...new Set([...known, ...Object.keys(pet)])];
  const longest = Math.max(...keys.map((key) => displayWidth(show(key))));
  const margin = Math.min(longest + 2, Math.floor(width / 2));
  return keys.flatMap((key) => {
    // Longer than any screen is no value that one reads.
    const value = show(truncate(toDisplayText(pet[key]), longestValue));
    return wrapToWidth(value, Math.max(1, width - margin)).map((part, index) => {
      const heading = index === 0 ? style.heading(fill(toSafeText(`${show(key)}:`), margin)) : '';
      const shown = key === 'status' ? style.status(part) : part;
      return `${heading || ' '.repeat(margin)}${shown}`;
    });
  });
}

const longestValue = 20_000;

/** Profile, quota and the age of what is shown, however little room there is. */
export function statusText(
  label: SafeText,
  quota: Quota,
  readAt: number | undefined,
  { now, width }: { readonly now: number; readonly width: number },
): SafeText {
  const since = (time: number) => formatDuration(Math.floor((now - time) / 1000) * 1000);
  const age = readAt === undefined ? 'not read yet' : `read ${since(Math.min(now, readAt))} ago`;
  const long = `${label} · ${formatQuota(quota, now) ?? 'quota not told yet'} · ${age}`;
  if (displayWidth(long) <= width) return toSafeText(long);
  const short = ` · ${shortQuota(quota)} · ${age}`;
  const room = width - displayWidth(short);
  return truncateToWidth(toSafeText(`${truncateToWidth(label, Math.max(3, room))}${short}`), width);
}

function shortQuota({ limit, remaining }: Quota): string {
  if (remaining === undefined) return 'quota ?';
  return limit === undefined ? `${remaining} left` : `${remaining}/${limit} left`;
}
