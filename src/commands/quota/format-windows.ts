import type { Quota } from '../../api/rate-limit-headers.js';
import type { TextLayout } from '../../cli/command-result.js';
import { drawBar } from '../../format/bar.js';
import { formatDuration, formatTimeToReset } from '../../format/duration.js';
import { wrapMessage } from '../../format/wrap.js';
import { findRemaining, formatQuota } from '../../quota/rate-limit-info.js';

export interface QuotaView {
  readonly label: string;
  /** The windows that the service reported, by the names `minute` and `day`, or `window` if its length is unknown. */
  readonly windows: ReadonlyMap<string, Quota>;
  /** When a pause that the service demanded ends; then nothing is known of the windows. */
  readonly blockedUntil: number | undefined;
  readonly seenAt: number;
  /** The Redis that shares the quota. */
  readonly quotaStore: string | undefined;
  /** False for screen readers. */
  readonly hasBars: boolean;
}

const barWidth = 20;
const margin = ' '.repeat(10);

/** Formats the windows as bars, or the pause in place of them. */
export function formatWindows(view: QuotaView, now: number): TextLayout {
  const { label, windows, blockedUntil, seenAt, quotaStore, hasBars } = view;
  return (style, width) => {
    const formatLine = (name: string, text: string, { limit = 0, ...quota }: Quota = {}) => {
      const first = hasBars ? `  ${name.padEnd(margin.length - 2)}` : `${name}: `;
      const rest = hasBars ? margin : '';
      const left = findRemaining({ limit, ...quota }, now);
      if (left === undefined || limit === 0 || !hasBars) return wrapMessage(text, width, first, rest);
      const share = left / limit;
      const { filled, empty } = drawBar(share, Math.min(barWidth, Math.max(5, (width ?? 80) - margin.length)));
      const paint = share === 0 ? style.error : share <= 0.2 ? style.warning : style.success;
      const bar = paint(filled) + style.dim(empty);
      const isWide = width === undefined || width >= margin.length + barWidth + 2 + text.length;
      return isWide ? `${first}${bar}  ${text}\n` : `${first}${bar}\n${wrapMessage(text, width, rest, rest)}`;
    };
    const lines =
      blockedUntil === undefined
        ? [...windows].map(([name, quota]) => formatLine(name, formatQuota(quota, now) ?? 'unknown', quota))
        : [formatLine('paused', `${formatTimeToReset(blockedUntil - now)}, rate limited or banned by the service`)];
    const notes = [
      `Updated ${formatDuration(Math.max(0, now - seenAt))} ago`,
      ...(quotaStore === undefined ? [] : [`Shared through ${quotaStore}`]),
    ];
    return [
      wrapMessage(hasBars ? label : `profile: ${label}`, width),
      ...lines,
      ...notes.map((note) => wrapMessage(note, width)),
    ].join('');
  };
}
