import { expect, test } from 'vitest';
import { drawBar } from '../../src/format/bar.js';

test.each([
  [1, '██████████'],
  [0.9936, '█████████░'],
  [0.5, '█████░░░░░'],
  [0.001, '█░░░░░░░░░'],
  [0, '░░░░░░░░░░'],
])('draws %d as %s', (share, expected) => {
  const { filled, empty } = drawBar(share, 10);
  expect(filled + empty).toBe(expected);
});
