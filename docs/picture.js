// Draws the pictures of the docs: `npm run picture`, or `node docs/picture.js DIRECTORY` for another directory.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { draw } from './draw.js';
import { openRecorder } from './recorder.js';

const enter = '\r';
const down = '\u001b[B';
const tab = '\t';
const esc = '\u001b';

const columns = 82;

/**
 * `run` types a command at the prompt and starts it, `keys` types keys, `see` waits for text on the screen, and `end` waits
 * for the program and prints the next prompt. An animation shows the screen for `ms` milliseconds after a step. The other
 * pictures show the screen after the last step, even if the program still runs.
 */
const recordings = [
  {
    file: 'terminal.svg',
    title: 'petstore in a terminal: pets are listed, one is added and found on a full screen, and the quota is shown',
    isAnimated: true,
    rows: 23,
    steps: [
      { type: 'run', command: 'petstore pets list --status available --limit 5' },
      { type: 'end', ms: 1800 },
      { type: 'run', command: 'petstore pets add' },
      { type: 'see', text: '? Name', ms: 500 },
      { type: 'keys', keys: [...'Mocha'] },
      { type: 'see', text: 'Mocha', ms: 400 },
      { type: 'keys', keys: [enter] },
      { type: 'see', text: '? Category', ms: 400 },
      { type: 'keys', keys: ['4', enter] },
      { type: 'see', text: '❯ available', ms: 700 },
      { type: 'keys', keys: [enter] },
      { type: 'see', text: '? Add Mocha', ms: 700 },
      { type: 'keys', keys: ['y', enter] },
      { type: 'end', ms: 1800 },
      { type: 'run', command: 'petstore pets browse' },
      { type: 'see', text: '57 of 60', ms: 1300 },
      { type: 'keys', keys: [...'moc'] },
      { type: 'see', text: 'Mocha', ms: 1500 },
      { type: 'keys', keys: [esc] },
      { type: 'see', text: 'Zoe', ms: 500 },
      { type: 'keys', keys: [esc] },
      { type: 'end', ms: 500 },
      { type: 'run', command: 'petstore quota' },
      { type: 'end', ms: 3000 },
    ],
  },
  {
    file: 'add.svg',
    title: 'petstore pets add in a terminal: it asks for name, category and status, and adds the pet',
    rows: 24,
    steps: [
      { type: 'run', command: 'petstore pets add' },
      { type: 'see', text: '? Name' },
      { type: 'keys', keys: [...'Rex', enter] },
      { type: 'see', text: '? Category' },
      { type: 'keys', keys: ['4', enter] },
      { type: 'see', text: '❯ available' },
      { type: 'keys', keys: [down] },
      { type: 'see', text: '❯ pending' },
      { type: 'keys', keys: [enter] },
      { type: 'see', text: '? Add Rex' },
      { type: 'keys', keys: ['y', enter] },
      { type: 'end' },
      { type: 'run', command: 'petstore pets add --name Luna' },
      { type: 'see', text: '? Category' },
      { type: 'keys', keys: ['2', enter] },
      { type: 'see', text: '❯ available' },
    ],
  },
  {
    file: 'import.svg',
    title:
      'petstore pets import in a terminal: it reports an invalid row, asks for confirmation, and waits for the quota while ' +
      'a progress bar shows how many rows are done',
    rows: 24,
    files: { 'pets.csv': `name,categoryId,status\n${'Rex,1,available\n'.repeat(90)},2,pending\n` },
    steps: [
      { type: 'run', command: 'petstore pets import pets.csv' },
      { type: 'end', expectedExitCode: 2 },
      { type: 'run', command: 'petstore pets import pets.csv --rejects rejects.csv' },
      { type: 'see', text: '? Add 90 rows' },
      { type: 'keys', keys: ['y', enter] },
      { type: 'see', text: 'left. Waiting' },
    ],
  },
  {
    file: 'quota.svg',
    title: 'petstore quota in a terminal: after an import, few requests are left in this minute',
    rows: 24,
    files: { 'pets.csv': `name,categoryId\n${'Rex,1\n'.repeat(48)}` },
    steps: [
      { type: 'run', command: 'petstore pets import pets.csv --yes --quiet' },
      { type: 'end' },
      { type: 'run', command: 'petstore quota' },
      { type: 'end' },
    ],
  },
  {
    file: 'doctor.svg',
    title: 'petstore doctor in a terminal: one line for each check, and the fix below a failed one',
    rows: 24,
    steps: [
      { type: 'run', command: 'petstore doctor --profile production' },
      { type: 'end', expectedExitCode: 1 },
    ],
  },
  {
    file: 'browse.svg',
    title: 'petstore pets browse in a terminal: the available pets, one of them in full',
    rows: 18,
    steps: [
      { type: 'run', command: 'petstore pets browse' },
      { type: 'see', text: '59 of 60' },
      { type: 'keys', keys: [tab] },
      { type: 'see', text: 'Cleo' },
      { type: 'keys', keys: ['b'] },
      { type: 'see', text: 'Simba' },
      { type: 'keys', keys: [down, down] },
      { type: 'see', text: 'Bonnie' },
    ],
  },
];

async function record({ file, title, isAnimated, rows, files = {}, steps }, directory) {
  const home = mkdtempSync(join(tmpdir(), 'petstore-picture-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  const terminal = await openRecorder({ columns, rows }, home);
  try {
    for (const step of steps) await terminal[step.type](step);
    const frames = isAnimated ? terminal.frames : terminal.frames.slice(-1);
    writeFileSync(join(directory, file), draw(title, columns, frames));
  } finally {
    await terminal.close();
    // A killed program may still finish one write.
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

const directory = process.argv[2] ?? import.meta.dirname;
await Promise.all(recordings.map((recording) => record(recording, directory)));
