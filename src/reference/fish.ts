import type { Outline } from './outline.js';

/** The completion script for fish. */
export function fish(outline: Outline): string {
  return outline.words.join(' ');
}
