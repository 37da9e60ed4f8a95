import type { Outline } from './outline.js';

/** The completion script for powershell. */
export function powershell(outline: Outline): string {
  return outline.words.join(' ');
}
