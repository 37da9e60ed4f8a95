import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { showInPager } from '../../src/terminal/pager.js';
import { temporaryDirectory } from '../support/petstore.js';

test('uses less with the flags FRX by default', async () => {
  const run = await show({ pager: '', less: 'echo "$LESS" > "$SEEN"; cat >> "$SEEN"' });
  expect(run).toEqual({ written: '', warnings: '', seen: 'FRX\ntext\n', held: 0 });
});

test('prints the text if less is not installed', async () => {
  expect(await show({ pager: '' })).toEqual({ written: 'text\n', warnings: '', seen: '', held: 0 });
});

test('prints the text and a warning if the pager is not installed', async () => {
  const warnings = '! cannot find the pager no-such-pager --quick; check the variable PAGER\n';
  const run = await show({ pager: 'no-such-pager --quick' });
  expect(run).toEqual({ written: 'text\n', warnings, seen: '', held: 0 });
});

test('ignores the exit code of a pager that quits early', async () => {
  const { written, held } = await show({ pager: 'exit 3', text: 'x'.repeat(1_000_000) });
  expect({ written, held }).toEqual({ written: '', held: 0 });
});

interface ShowOptions {
  readonly pager: string;
  /** A shell script that stands in for `less`; not installed if missing. */
  readonly less?: string;
  readonly text?: string;
}

/** Returns the text on stdout and stderr, the input of the pager, and how many pagers still handle Ctrl-C. */
async function show({ pager, less, text = 'text\n' }: ShowOptions) {
  const directory = temporaryDirectory();
  const seen = join(directory, 'seen');
  writeFileSync(seen, '');
  if (less !== undefined) {
    writeFileSync(join(directory, 'less'), `#!/bin/sh\nPATH=/usr/bin:/bin\n${less}\n`);
    chmodSync(join(directory, 'less'), 0o755);
  }
  const texts = { written: '', warnings: '' };
  const collect = (name: keyof typeof texts) => ({
    write: async (content: string | Uint8Array) => {
      texts[name] += content;
    },
  });
  let held = 0;
  await showInPager(text, {
    // Hides the installed less.
    env: { PATH: directory, PAGER: pager, SEEN: seen },
    stdout: collect('written'),
    stderr: collect('warnings'),
    signal: new AbortController().signal,
    leaveInterrupts: () => {
      held += 1;
      return () => {
        held -= 1;
      };
    },
  });
  return { ...texts, seen: readFileSync(seen, 'utf8'), held };
}
