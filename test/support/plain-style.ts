import type { Style } from '../../src/terminal/output.js';

const same = (text: string) => text;

/** A style that changes no text, as if colors were off. */
export const plainStyle: Style = {
  heading: same,
  dim: same,
  selected: same,
  match: same,
  status: same,
  success: same,
  warning: same,
  error: same,
};
