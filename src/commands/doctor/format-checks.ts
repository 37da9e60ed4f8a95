import { stripVTControlCharacters } from 'node:util';
import type { Hint } from '../../failure.js';
import { formatHint } from '../../format/hint.js';
import { wrapMessage } from '../../format/wrap.js';
import type { Style } from '../../terminal/output.js';

export interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail?: string;
  /** What the user can do about it. */
  readonly advice?: Hint;
  /** The details and the advice, if there are several problems. */
  readonly problems?: readonly Pick<Check, 'detail' | 'advice'>[];
}

/** Returns one check for the problems that checks with the same name and status have. */
export function combineChecks(checks: readonly [Check, ...Check[]]): Check {
  const [first, second] = checks;
  if (!second) return first;
  const details = checks.flatMap(({ detail }) => detail ?? []);
  const advice = [...new Set(checks.flatMap(({ advice }) => (advice === undefined ? [] : formatHint(advice))))];
  const { check, status } = first;
  return { check, status, detail: details.join('; '), advice: advice.join('; '), problems: checks };
}

const marks = { ok: '✓', warning: '!', failed: '✗', skipped: '-' } as const;

/**
 * Formats one line for each check, with the advice and further problems below. Nothing is cut: longer lines are wrapped
 * at words. All lines below have the same margin.
 */
export function formatChecks(checks: readonly Check[], style: Style, width: number | undefined): string {
  const longest = Math.max(...checks.map(({ check }) => check.length));
  const format = (margin: string) =>
    checks.map((check) => formatCheck(check, style, { longest, margin, width })).join('');
  if (width === undefined) return format(' '.repeat(longest + 4));
  const aligned = width < minAlignedWidth ? undefined : format(' '.repeat(longest + 4));
  // A long word or command gets more space.
  const fits = aligned?.split('\n').every((line) => stripVTControlCharacters(line).length <= width);
  return aligned !== undefined && fits ? aligned : format(' '.repeat(4));
}

/** In columns. A narrower terminal has no space for a margin as wide as the names. */
const minAlignedWidth = 60;

interface CheckLayout {
  /** The length of the longest name. */
  readonly longest: number;
  readonly margin: string;
  readonly width: number | undefined;
}

function formatCheck(one: Check, style: Style, { longest, margin, width }: CheckLayout): string {
  const paints = { ok: style.success, warning: style.warning, failed: style.error, skipped: style.dim };
  const { check, status } = one;
  const [{ detail, advice } = one, ...others] = one.problems ?? [];
  const formatLine = (text: Hint, first = margin) => wrapMessage(text, width, first, margin);
  const mark = marks[status];
  const text = [status === 'skipped' ? 'skipped' : undefined, detail].filter(Boolean).join(': ');
  const line = formatLine(`${check.padEnd(longest)}  ${text}`.trimEnd(), `${mark} `);
  const below = [advice, ...others.flatMap((other) => [other.detail, other.advice])];
  const lines = below.map((part) => (part === undefined ? '' : formatLine(part)));
  return `${paints[status](mark)}${line.slice(mark.length)}${lines.join('')}`;
}
