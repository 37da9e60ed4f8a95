import type { PetRecord } from '../../../api/pet.js';
import { pickFields } from '../../../cli/command-result.js';
import { toDisplayText } from '../../../format/cell.js';
import { formatJson } from '../../../format/json.js';
import type { OutputFormat } from '../../../format/output-format.js';
import { toSafeText } from '../../../format/safe-text.js';
import type { Change } from './compare.js';

const marks = { added: '+', removed: '-', changed: '~' } as const;
const shown = ['id', 'name', 'status'];

/** A change as one line: NDJSON, or `+ 12 Ada available` for a person. */
export function lineOf(
  change: Change,
  format: OutputFormat,
  fields: readonly string[] | undefined,
): string {
  const { event, pet, before } = change;
  if (format === 'ndjson') {
    const told = {
      event,
      pet: pickFields(pet, fields),
      ...(before && { before: pickFields(before, fields) }),
    };
    return `${formatJson(told)}\n`;
  }
  const words = (fields ?? shown).map((key) => textOf(pet[key])).join(' ');
  return `${marks[event]} ${words}${before ? toSafeText(`; ${differences(before, pet)}`) : ''}\n`;
}

/** `status was available, name was Ada`. */
function differences(before: PetRecord, pet: PetRecord): string {
  return [...new Set([...Object.keys(before), ...Object.keys(pet)])]
    .filter((key) => textOf(before[key]) !== textOf(pet[key]))
    .map((key) => `${key} was ${textOf(before[key])}`)
    .join(', ');
}

function textOf(value: unknown): string {
  return toSafeText(toDisplayText(value));
}
