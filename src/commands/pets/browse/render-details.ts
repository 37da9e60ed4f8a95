import { type PetRecord, petFields } from '../../../api/pet.js';
import { displayWidth, wrapToWidth } from '../../../format/display-width.js';
import { formatDuration } from '../../../format/duration.js';
import { formatJson, toDisplayText } from '../../../format/json.js';
import { toSafeText, truncate } from '../../../format/safe-text.js';
import { formatPetId, type PetBatch } from './page-cache.js';
import { fitToWidth, type RenderStyle } from './render-pets.js';

interface DetailsOptions extends RenderStyle {
  readonly now: number;
  /** The response that the pet came with. */
  readonly batch: PetBatch | undefined;
}

/**
 * Returns the name, a line for each field (documented fields first), and the request that fetched the pet, with its age.
 * Long values wrap.
 */
export function renderPetDetails(pet: PetRecord, width: number, options: DetailsOptions): readonly string[] {
  const { style, sanitize, batch, now } = options;
  const keys = [...new Set([...petFields.map(({ name }) => name), ...Object.keys(pet)])];
  const title = sanitize(truncate(toDisplayText(pet.name), maxValueLength));
  const seconds = Math.floor(Math.max(0, now - (batch?.at ?? now)) / 1000);
  const origin = batch
    ? [
        ['Request', batch.request],
        ['Fetched', `${formatDuration(seconds * 1000)} ago`],
      ]
    : [];
  const longestKey = Math.max(...[...keys, 'Request'].map((key) => displayWidth(sanitize(key))));
  const margin = Math.min(longestKey + 2, Math.floor(width / 2));
  const renderField = (key: string, lines: readonly string[], color: (text: string) => string) =>
    lines
      .flatMap((line) => wrapToWidth(sanitize(line), Math.max(1, width - margin)))
      .map((line, index) => {
        const start = index === 0 ? style.dim(fitToWidth(sanitize(key), margin)) : ' '.repeat(margin);
        return `${start}${color(line)}`;
      });
  return [
    ...wrapToWidth(title, width)
      .slice(0, 2)
      .map((line) => style.heading(line)),
    '',
    ...keys.flatMap((key) => renderField(key, formatValue(pet, key, width - margin), pickColor(key, style))),
    '',
    ...origin.flatMap(([key = '', value = '']) =>
      // A number that is split over two lines reads as a smaller one.
      key !== '' && displayWidth(sanitize(value)) > width - margin
        ? [style.dim(sanitize(key)), ...wrapToWidth(sanitize(value), width).map((line) => style.dim(line))]
        : renderField(key, [value], style.dim),
    ),
  ];
}

/** Returns the record as JSON, as the service sent it. */
export function renderPetJson(pet: PetRecord, width: number, { style, sanitize }: RenderStyle): readonly string[] {
  const lines = truncate(formatJson(pet, 2), maxValueLength).split('\n');
  const wrapLine = (line: string) => {
    const depth = line.length - line.trimStart().length;
    const margin = Math.min(depth + 2, Math.floor(width / 2));
    const parts = wrapToWidth(sanitize(line.slice(depth)), Math.max(1, width - margin));
    return parts.map((part, index) => ' '.repeat(Math.min(margin, index === 0 ? depth : margin)) + part);
  };
  return ['', style.dim('JSON'), ...lines.flatMap(wrapLine)];
}

/** In UTF-16 units; wrapping longer values would slow down the screen. */
const maxValueLength = 20_000;

/** Returns a value in one line; a list or an object that does not fit, in one line for each item. */
function formatValue(pet: PetRecord, key: string, width: number): readonly string[] {
  const value = pet[key];
  const text = truncate(key === 'id' ? formatPetId(pet) : toDisplayText(value), maxValueLength);
  const isNested = /^[[{]/.test(text) && typeof value !== 'string';
  const isWide = displayWidth(toSafeText(text)) > width;
  return isNested && isWide ? truncate(formatJson(value, 2), maxValueLength).split('\n') : [text];
}

function pickColor(key: string, style: RenderStyle['style']): (text: string) => string {
  return key === 'status' ? style.status : (text) => text;
}
