import { formatExactNumber, formatJson } from './json.js';

/** Returns text unchanged, a number with its original digits, and anything else as JSON. */
export function toPlainText(value: unknown): string {
  return typeof value === 'string' ? value : (formatExactNumber(value) ?? formatJson(value));
}

/** Like `toPlainText`, but with `-` for a missing value, `yes` and `no`. May contain unsafe characters. */
export function toDisplayText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return toPlainText(value);
}
