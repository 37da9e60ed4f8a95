// Draws the pictures of the docs: `npm run picture`, or `node docs/picture.js DIRECTORY` for another directory.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { draw } from './draw.js';
import { openRecorder } from './recorder.js';

const enter = '\r';
const down = '\u001b[B';
const tab = '\t';

/**
 * `run` waits for the previous program and starts one, `keys` types, `see` waits for text on the screen, `end` waits for
 * the program. The picture shows the screen after the last step, even if the program still runs.
 */
const recordings = [
  {
    file: 'terminal.svg',
    title: 'petstore in a terminal: pets are listed, one is added, and the quota is shown',
    columns: 72,
    rows: 32,
    steps: [
      { type: 'run', command: 'petstore pets list --limit 6' },
      { type: 'run', command: 'petstore pets add --name Rex --category-id 4 --status available' },
      { type: 'run', command: 'petstore quota' },
      { type: 'end' },
    ],
  },
  {
    file: 'add.svg',
    title: 'petstore pets add in a terminal: it asks for name, category and status, and adds the pet',
    columns: 72,
    rows: 24,
    steps: [
      { type: 'run', command: 'petstore pets add' },
      { type: 'see', text: '? Name:' },
      { type: 'keys', keys: `Rex${enter}` },
      { type: 'see', text: '? Category id:' },
      { type: 'keys', keys: `4${enter}` },
      { type: 'see', text: '❯ available' },
      { type: 'keys', keys: down },
      { type: 'see', text: '❯ pending' },
      { type: 'keys', keys: enter },
      { type: 'see', text: 'Add Rex, category 4, pending, to sandbox?' },
      { type: 'keys', keys: `y${enter}` },
      { type: 'run', command: 'petstore pets add --name Luna' },
      { type: 'see', text: '? Category id:' },
      { type: 'keys', keys: `2${enter}` },
      { type: 'see', text: '↑↓ navigate' },
    ],
  },
  {
    file: 'browse.svg',
    title: 'petstore pets browse in a terminal: the available pets, one of them in full',
    columns: 82,
    rows: 18,
    steps: [
      { type: 'run', command: 'petstore pets browse' },
      { type: 'see', text: '1 of 72' },
      { type: 'keys', keys: tab },
      { type: 'see', text: '[available]' },
      { type: 'keys', keys: 'b' },
      { type: 'see', text: 'Filter: b' },
      { type: 'keys', keys: `${down}${down}` },
      { type: 'see', text: '3: ' },
    ],
  },
];

const directory = process.argv[2] ?? import.meta.dirname;
for (const recording of recordings) {
  const home = mkdtempSync(join(tmpdir(), 'petstore-picture-'));
  const terminal = openRecorder(recording, home);
  try {
    for (const step of recording.steps) await terminal[step.type](step);
    writeFileSync(join(directory, recording.file), draw(recording.title, await terminal.screen()));
  } finally {
    await terminal.close();
    rmSync(home, { recursive: true, force: true });
  }
}
