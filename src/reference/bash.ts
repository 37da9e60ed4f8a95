import type { Outline } from './outline.js';

/** The completion script for bash. */
export function bash(outline: Outline): string {
  return outline.words.join(' ');
}
