import type { PetRecord } from '../../../api/pet.js';
import type { AppContext } from '../../../app/context.js';
import { pickFields } from '../../../cli/command-result.js';
import { formatLocalTime } from '../../../format/duration.js';
import { formatJson, toDisplayText } from '../../../format/json.js';
import type { OutputFormat } from '../../../format/output-format.js';
import { toSafeText } from '../../../format/safe-text.js';
import { wrapMessage } from '../../../format/wrap.js';
import type { Style } from '../../../terminal/output.js';
import type { Change } from './compare.js';

export interface ChangeFormat {
  readonly output: OutputFormat;
  readonly fields: readonly string[] | undefined;
  /** Columns of the terminal; undefined in a pipe. */
  readonly width: number | undefined;
  readonly style: Style;
}

/** Returns a function that formats a change and the time at which it was seen as one line for stdout. */
export async function openChangeFormat({ settings, runtime: { terminal } }: AppContext) {
  const { output, fields } = settings;
  const style = await terminal.createStyle('stdout', settings.color);
  return (change: Change, time: number) =>
    formatChange(change, time, { output, fields, width: terminal.stdout.columns, style });
}

/**
 * Returns NDJSON, or text such as `~ 14:03:05 12 Ada sold; status was available`. On a terminal, the time is local and
 * has no date.
 */
export function formatChange(
  { event, pet, before }: Change,
  time: number,
  { output, fields, width, style }: ChangeFormat,
): string {
  const exactTime = new Date(time).toISOString();
  if (output !== 'table') {
    const old = before && { before: pickFields(before, fields) };
    return `${formatJson({ event, time: exactTime, pet: pickFields(pet, fields), ...old })}\n`;
  }
  const { marker, color } = looks[event];
  const shownTime = width === undefined ? exactTime : formatLocalTime(time);
  const cells = (fields ?? ['id', 'name', 'status']).map((key) => formatValue(pet[key])).join(' ');
  const changes = before ? `; ${formatOldValues(before, pet)}` : '';
  const start = `${marker} ${shownTime} `;
  const rest = wrapMessage(`${cells}${changes}`, width, start).slice(start.length, -1);
  return `${style[color](marker)} ${style.dim(shownTime)} ${style[color](rest)}\n`;
}

const looks = {
  added: { marker: '+', color: 'success' },
  removed: { marker: '-', color: 'error' },
  changed: { marker: '~', color: 'warning' },
} as const;

/** Returns `status was available, name was Ada`. */
function formatOldValues(before: PetRecord, pet: PetRecord): string {
  return Object.keys({ ...before, ...pet })
    .filter((key) => formatValue(before[key]) !== formatValue(pet[key]))
    .map((key) => `${toSafeText(key)} was ${formatValue(before[key])}`)
    .join(', ');
}

function formatValue(value: unknown): string {
  return toSafeText(toDisplayText(value));
}
