import { Failure } from '../failure.js';
import { suggestSimilar } from '../format/suggest.js';
import type { Column } from './command-result.js';

/** Throws a usage error if `--fields` names a field that is not a column. */
export function checkFields(
  fields: readonly string[] | undefined,
  columns: readonly Column[],
): void {
  const keys = columns.map(({ key }) => key);
  const unknown = fields?.find((field) => !keys.includes(field));
  if (unknown === undefined) return;
  throw new Failure('usage', {
    code: 'unknown_field',
    message: `--fields takes ${keys.join(', ')}, not "${unknown}"`,
    hint: suggestSimilar(unknown, keys),
  });
}
