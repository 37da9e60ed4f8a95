import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { displayWidth } from '../../src/format/display-width.js';
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

test.each([
  ['a line that fills it exactly', 40, 40, 0],
  ['a longer line', 41, 41, 1],
  ['a cursor within a longer line', 60, 40, 1],
])('a resize to 40 columns erases the rows of %s', (_, length, column, rows) => {
  const written: string[] = [];
  const stream = new Writable({ write: (chunk, _, done) => done(void written.push(String(chunk))) });
  const stderr = Object.assign(stream, { columns: 40 }) as unknown as NodeJS.WriteStream;
  const drawing = recordDrawing(stderr, false);
  drawing.stream.write(`${'x'.repeat(length)}${control}${column + 1}G`);
  drawing.erase(displayWidth);
  expect(written.at(-1)).toBe(`${rows > 0 ? `${control}${rows}A` : ''}${control}G ${control}J${control}G`);
});

test('a screen that gets taller erases the rows that it moved to its history when it got shorter', () => {
  const written: string[] = [];
  const stream = new Writable({ write: (chunk, _, done) => done(void written.push(String(chunk))) });
  const stderr = Object.assign(stream, { columns: 80, rows: 24 });
  const drawing = recordDrawing(stderr as unknown as NodeJS.WriteStream, false);
  const draw = (count: number) => drawing.stream.write(`${Array(count).fill('line').join('\n')}${control}5G`);
  const resize = (rows: number) => {
    stderr.rows = rows;
    drawing.erase(displayWidth);
    return written.at(-1);
  };
  draw(12);
  expect(resize(6)).toBe(`${control}11A${control}G ${control}J${control}G`);
  draw(5);
  // Six rows are in the history, two of which come back.
  expect(resize(8)).toBe(`${control}6A${control}G ${control}J${control}G`);
  expect(resize(24)).toBe(`${control}4A${control}G ${control}J${control}G`);
  draw(12);
  resize(6);
  // After Ctrl-Z, the rows above belong to the shell.
  drawing.suspend();
  drawing.resume();
  draw(5);
  expect(resize(24)).toBe(`${control}4A${control}G ${control}J${control}G`);
  const count = written.length;
  expect(resize(40)).toBe(written[count - 1]);
  expect(written).toHaveLength(count);
});
