import { type PetRecord, petFields } from '../../../api/pet.js';
import { displayWidth, wrapToWidth } from '../../../format/display-width.js';
import { formatJson, toDisplayText } from '../../../format/json.js';
import { toSafeText, truncate } from '../../../format/safe-text.js';
import { fitToWidth, type RenderStyle } from './render-pets.js';
import { formatPetId } from './state.js';

/** In UTF-16 units; wrapping longer values would slow down the screen. */
const maxValueLength = 20_000;

/** Returns a line for each field, documented fields first. Long values wrap. */
export function renderPetDetails(pet: PetRecord, width: number, { style, sanitize }: RenderStyle): readonly string[] {
  const keys = [...new Set([...petFields.map(({ name }) => name), ...Object.keys(pet)])];
  const longestKey = Math.max(...keys.map((key) => displayWidth(sanitize(key))));
  const margin = Math.min(longestKey + 2, Math.floor(width / 2));
  return keys.flatMap((key) =>
    formatValue(pet, key, width - margin)
      .flatMap((line) => wrapToWidth(sanitize(line), Math.max(1, width - margin)))
      .map((line, index) => {
        const start = index === 0 ? style.dim(fitToWidth(sanitize(key), margin)) : ' '.repeat(margin);
        return `${start}${key === 'status' ? style.status(line) : line}`;
      }),
  );
}

/** Returns a value in one line; a list or an object that does not fit, in one line for each item. */
function formatValue(pet: PetRecord, key: string, width: number): readonly string[] {
  const value = pet[key];
  const text = truncate(key === 'id' ? formatPetId(pet) : toDisplayText(value), maxValueLength);
  const isNested = /^[[{]/.test(text) && typeof value !== 'string';
  const isWide = displayWidth(toSafeText(text)) > width;
  return isNested && isWide ? truncate(formatJson(value, 2), maxValueLength).split('\n') : [text];
}
