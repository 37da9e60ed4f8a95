import { expect, test } from 'vitest';
import { findChoices } from '../../src/terminal/run-prompt.js';

test.each([
  ['', ['1 Zoe', '12 Ada', '21 zoe', '30 Élan']],
  ['zoe', ['1 Zoe', '21 zoe']],
  [' ZOE  2 ', ['21 zoe']],
  ['elan', ['30 Élan']],
  ['zoe ada', []],
])('the text %j finds the choices that contain each of its words', (text, names) => {
  const choices = ['1 Zoe', '12 Ada', '21 zoe', '30 Élan'].map((name) => ({ name, value: name }));
  expect(findChoices(choices, text).map(({ name }) => name)).toEqual(names);
});
