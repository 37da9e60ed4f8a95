import type { PetRecord } from '../../../api/pet.js';
import { pickFields } from '../../../cli/command-result.js';
import { formatJson, toDisplayText } from '../../../format/json.js';
import type { OutputFormat } from '../../../format/output-format.js';
import { toSafeText } from '../../../format/safe-text.js';
import type { Change } from './compare.js';

const markers = { added: '+', removed: '-', changed: '~' } as const;

/** Returns one line: NDJSON, or text such as `~ 12 Ada sold; status was available`. */
export function formatChange(
  { event, pet, before }: Change,
  format: OutputFormat,
  fields: readonly string[] | undefined,
): string {
  if (format === 'ndjson') {
    const old = before && { before: pickFields(before, fields) };
    return `${formatJson({ event, pet: pickFields(pet, fields), ...old })}\n`;
  }
  const cells = (fields ?? ['id', 'name', 'status']).map((key) => formatValue(pet[key])).join(' ');
  const changes = before ? toSafeText(`; ${formatOldValues(before, pet)}`) : '';
  return `${markers[event]} ${cells}${changes}\n`;
}

/** Returns `status was available, name was Ada`. */
function formatOldValues(before: PetRecord, pet: PetRecord): string {
  return Object.keys({ ...before, ...pet })
    .filter((key) => formatValue(before[key]) !== formatValue(pet[key]))
    .map((key) => `${key} was ${formatValue(before[key])}`)
    .join(', ');
}

function formatValue(value: unknown): string {
  return toSafeText(toDisplayText(value));
}
