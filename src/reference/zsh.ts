import type { Outline } from './outline.js';

/** The completion script for zsh. */
export function zsh(outline: Outline): string {
  return outline.words.join(' ');
}
