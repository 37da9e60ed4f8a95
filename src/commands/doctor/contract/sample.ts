import { formatJson, toExactNumber } from '../../../format/json.js';

/** The largest 64-bit number: rounded by whoever reads JSON carelessly, and an id of hardly any pet. */
export const largest = '9223372036854775807';

export const newName = 'petstore doctor --contract --write';

/** The body of the pet that is added where that is allowed. */
export function newPet(): Uint8Array {
  const body = { name: newName, categoryId: toExactNumber(largest) };
  return new TextEncoder().encode(formatJson(body));
}
