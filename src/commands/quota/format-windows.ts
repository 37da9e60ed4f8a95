import type { Quota } from '../../api/rate-limit-headers.js';
import { drawBar } from '../../format/bar.js';
import { wrapMessage } from '../../format/wrap.js';
import { findRemaining, formatQuota } from '../../quota/rate-limit-info.js';
import type { Style } from '../../terminal/output.js';

export interface QuotaView {
  readonly label: string;
  /** As the service reported them last, by the names `minute` and `day`, or `window` if its length is unknown. */
  readonly windows: ReadonlyMap<string, Quota | undefined>;
  /** Facts below the windows, a line each. */
  readonly notes: readonly string[];
  /** False for screen readers. */
  readonly hasBars: boolean;
}

const barWidth = 20;
const margin = ' '.repeat(10);

/** Formats the windows as bars, at most `width` columns wide. */
export function formatWindows(view: QuotaView, now: number, style: Style, width?: number): string {
  const { label, windows, notes, hasBars } = view;
  const layout = { style, hasBars, width };
  const lines = [...windows].map(([name, window]) => formatWindow(name, window, now, layout));
  const rest = notes.map((note) => wrapMessage(note, width));
  return [wrapMessage(label, width), ...lines, ...rest].join('');
}

function formatWindow(
  name: string,
  window: Quota | undefined,
  now: number,
  { style, hasBars, width }: { readonly style: Style; readonly hasBars: boolean; readonly width: number | undefined },
): string {
  const start = `  ${name.padEnd(margin.length - 2)}`;
  const { limit } = window ?? {};
  const left = window && findRemaining(window, now);
  // The service reports one window at a time.
  const text = (window && formatQuota(window, now)) ?? `not reported for the current ${name}`;
  if (left === undefined || !limit || !hasBars) return wrapMessage(text, width, { first: start, rest: margin });
  const share = left / limit;
  const { filled, empty } = drawBar(share, Math.min(barWidth, Math.max(5, (width ?? 80) - margin.length)));
  const paint = share === 0 ? style.error : share <= 0.2 ? style.warning : style.success;
  const bar = paint(filled) + style.dim(empty);
  const isWide = width === undefined || width >= margin.length + barWidth + 2 + text.length;
  return isWide
    ? `${start}${bar}  ${text}\n`
    : `${start}${bar}\n${wrapMessage(text, width, { first: margin, rest: margin })}`;
}
