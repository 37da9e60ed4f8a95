import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { recordDrawing } from '../../src/terminal/record-drawing.js';

const control = '\u001b[';
/** Erases a drawing of two lines, as @inquirer/core does. */
const eraseTwoLines = `${control}1A${control}2K${control}G`;
const toInput = `${control}1A${control}3G`;

test('a drawing is erased on Ctrl-Z, later ones are ignored, and the one after fg erases nothing', () => {
  const written: string[] = [];
  const stderr = new Writable({ write: (chunk, _, done) => done(void written.push(String(chunk))) });
  const drawing = recordDrawing(stderr as unknown as NodeJS.WriteStream, false);
  drawing.stream.write(`? pet\nlist${toInput}`);
  drawing.suspend();
  expect(written.at(-1)).toBe(`${control}G ${control}J${control}G`);
  const before = written.length;
  drawing.stream.write(`${eraseTwoLines}⠙ pet\nlist${toInput}`);
  expect(written.slice(before)).toEqual([]);
  drawing.resume();
  drawing.stream.write(`${eraseTwoLines}⠹ pet\nlist${toInput}`);
  expect(written.slice(before)).toEqual([`${control}?7l⠹ pet\nlist${toInput}${control}?7h`]);
});
