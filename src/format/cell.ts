import { formatExactNumber, formatJson } from './json.js';

/** Text as it is, a number digit by digit, anything nested as JSON. */
export function toPlainText(value: unknown): string {
  return typeof value === 'string' ? value : (formatExactNumber(value) ?? formatJson(value));
}

/** The same for a person, and not yet safe: `-` where there is nothing, `yes` and `no`. */
export function toDisplayText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return toPlainText(value);
}
