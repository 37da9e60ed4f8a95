import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { showManualPage } from '../../src/terminal/pager.js';
import { temporaryDirectory } from '../support/petstore.js';

const laidOut = 'PETSTORE(1)\nNAME\n  as man has it\n';
const text = (columns?: number) => `as text of ${columns} columns\n`;

test('prints the text without a pager if stdout is not a terminal', async () => {
  const { written, seen, held } = await shown({ paged: false });
  expect({ written, seen, held }).toEqual({ written: text(60), seen: '', held: 0 });
});

test.each([
  ['the page as man lays it out', 'cat "$PAGE"', laidOut],
  ['text where man fails', 'cat "$PAGE"; exit 1', text(60)],
  ['text where man says something else', 'echo pages were left out', text(60)],
  ['text where there is no man', undefined, text(60)],
])('the pager receives %s', async (_, man, page) => {
  const { written, seen, held } = await shown({ man });
  expect({ written, seen, held }).toEqual({ written: '', seen: page, held: 0 });
});

test('the pager receives text if the title line of man does not fit', async () => {
  const { seen } = await shown({ man: 'cat "$PAGE"', columns: 30 });
  expect(seen).toBe(text(30));
});

test('prints the text and a warning if the pager is not installed', async () => {
  const warnings = '! cannot find the pager no-such-pager --quick; check the variable PAGER\n';
  const run = await shown({ pager: 'no-such-pager --quick' });
  expect(run).toEqual({ written: text(60), warnings, seen: '', held: 0 });
});

test('prints the text if cmd does not know the pager', async () => {
  const { written, warnings } = await shown({ pager: 'exit 1', platform: 'win32' });
  expect({ written, warnings }).toEqual({ written: text(60), warnings: '' });
});

test('ignores the exit code of a pager that quits early', async () => {
  const { written, held } = await shown({ pager: 'exit 3', long: true });
  expect({ written, held }).toEqual({ written: '', held: 0 });
});

test('uses less with the flags FRX by default', async () => {
  const { seen } = await shown({ pager: '', less: 'echo "$LESS" > "$SEEN"; cat >> "$SEEN"' });
  expect(seen).toBe(`FRX\n${text(60)}`);
});

interface CommandResult {
  readonly paged?: boolean;
  /** Shell scripts that stand in for `man` and `less`; not installed if missing. */
  readonly man?: string | undefined;
  readonly less?: string;
  readonly pager?: string;
  readonly long?: boolean;
  readonly platform?: string;
  readonly columns?: number;
}

/** Returns the text on stdout and stderr, the input of the pager, and how many pagers still handle Ctrl-C. */
async function shown(result: CommandResult) {
  const {
    paged = true,
    man,
    less,
    pager = '/bin/cat > "$SEEN"',
    long = false,
    platform = 'linux',
    columns = 60,
  } = result;
  const directory = temporaryDirectory();
  const place = (name: string) => join(directory, name);
  for (const [name, script] of Object.entries({ man, less })) {
    if (script === undefined) continue;
    writeFileSync(place(name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
    chmodSync(place(name), 0o755);
  }
  writeFileSync(place('page.1'), laidOut);
  writeFileSync(place('seen'), '');
  // Hides the installed man and less.
  const env = { PATH: directory, PAGER: pager, SEEN: place('seen'), PAGE: place('page.1') };
  let written = '';
  let warnings = '';
  let held = 0;
  await showManualPage(
    {
      file: 'page.1',
      text: long ? () => 'x'.repeat(1_000_000) : text,
    },
    {
      manDirectory: directory,
      env,
      platform,
      stdout: {
        isTerminal: true,
        columns,
        isClosed: false,
        write: async (content) => {
          written += content;
        },
      },
      stderr: {
        write: async (content) => {
          warnings += content;
        },
      },
      canPage: paged,
      forwardSignals: () => {
        held += 1;
        return () => {
          held -= 1;
        };
      },
    },
  );
  return { written, warnings, seen: readFileSync(place('seen'), 'utf8'), held };
}
