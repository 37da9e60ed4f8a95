import { toSafeText } from '../../format/safe-text.js';
import { wrapMessage } from '../../format/wrap-message.js';
import type { Style } from '../../terminal/output.js';

export interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail?: string;
  /** What the user can do about it. */
  readonly advice?: string;
  /** The details and the advice, if there are several problems. */
  readonly problems?: readonly Pick<Check, 'detail' | 'advice'>[];
}

/** Returns one check for the problems that checks with the same name and status have. */
export function combineChecks(checks: readonly [Check, ...Check[]]): Check {
  const [first, second] = checks;
  if (!second) return first;
  const details = checks.flatMap(({ detail }) => detail ?? []);
  const advice = [...new Set(checks.flatMap(({ advice }) => advice ?? []))];
  const { check, status } = first;
  return { check, status, detail: details.join('; '), advice: advice.join('; '), problems: checks };
}

const marks = { ok: '✓', warning: '!', failed: '✗', skipped: '-' } as const;

/**
 * Formats one line for each check, with the advice and further problems below. Nothing is cut: longer lines are wrapped
 * at words.
 */
export function formatChecks(checks: readonly Check[], style: Style, width: number | undefined): string {
  const paints = { ok: style.success, warning: style.warning, failed: style.error, skipped: style.dim };
  const longest = Math.max(...checks.map(({ check }) => check.length));
  const isNarrow = width !== undefined && width < minAlignedWidth;
  const isTooWide = (line: string) => width !== undefined && line.length > width;
  const wrap = (text: string, margin: string, start = margin) =>
    wrapMessage(toSafeText(text), width, { first: start, rest: margin });
  const formatLine = (text: string, start?: string) => {
    const aligned = wrap(text, ' '.repeat(longest + 4), start);
    // A long word or command gets more space.
    return isNarrow || aligned.split('\n').some(isTooWide) ? wrap(text, ' '.repeat(4), start) : aligned;
  };
  return checks
    .map((one) => {
      const { check, status } = one;
      const [{ detail, advice } = one, ...others] = one.problems ?? [];
      const mark = marks[status];
      const text = [status === 'skipped' ? 'skipped' : undefined, detail].filter(Boolean).join(': ');
      const line = formatLine(`${check.padEnd(longest)}  ${text}`.trimEnd(), `${mark} `);
      const below = [advice, ...others.flatMap((other) => [other.detail, other.advice])];
      const lines = below.map((part) => (part === undefined ? '' : formatLine(part)));
      return `${paints[status](mark)}${line.slice(mark.length)}${lines.join('')}`;
    })
    .join('');
}

/** In columns. A narrower terminal has no space for a margin as wide as the names. */
const minAlignedWidth = 60;
