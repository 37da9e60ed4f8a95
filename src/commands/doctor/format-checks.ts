import { type SafeText, toSafeText } from '../../format/safe-text.js';
import { wrapMessage } from '../../format/wrap-message.js';
import type { Style } from '../../terminal/output.js';

export interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail?: string;
  /** What the user can do about it. */
  readonly advice?: string;
}

const marks = { ok: '✓', warning: '!', failed: '✗', skipped: '-' } as const;

/** Formats one line for each check, and its advice below. Nothing is cut: longer lines are wrapped at words. */
export function formatChecks(checks: readonly Check[], style: Style, width: number | undefined): string {
  const paints = { ok: style.success, warning: style.warning, failed: style.error, skipped: style.dim };
  const longest = Math.max(...checks.map(({ check }) => check.length));
  // On a narrow terminal, a margin as wide as the names would leave too little space.
  const rest = width === undefined || width >= minAlignedWidth ? ' '.repeat(longest + 4) : '    ';
  return checks
    .map(({ check, status, detail = '', advice }) => {
      const mark = marks[status];
      const text = status === 'skipped' ? `skipped: ${detail}` : detail;
      const line = toSafeText(`${check.padEnd(longest)}  ${text}`.trimEnd());
      const lines = wrapMessage(line, width, { first: `${mark} `, rest });
      const fix = advice === undefined ? '' : wrapMessage(toSafeText(advice), width, { first: rest, rest });
      return `${paints[status](mark)}${lines.slice(mark.length)}${fix}` as SafeText;
    })
    .join('');
}

const minAlignedWidth = 60;
