import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { showManualPage } from '../../src/terminal/pager.js';
import { temporaryDirectory } from '../support/petstore.js';

const laidOut = 'PETSTORE(1)\nNAME\n  as man has it\n';
const text = (columns?: number) => `as text of ${columns} columns\n`;

test('where nobody turns pages the text is written, and no program runs', async () => {
  const { written, seen, held } = await shown({ paged: false });
  expect({ written, seen, held }).toEqual({ written: text(60), seen: '', held: 0 });
});

test.each([
  ['the page as man lays it out', 'cat "$PAGE"', laidOut],
  ['text where man fails', 'cat "$PAGE"; exit 1', text(60)],
  ['text where man says something else', 'echo pages were left out', text(60)],
  ['text where there is no man', undefined, text(60)],
])('the pager gets %s', async (_, man, page) => {
  const { written, seen, held } = await shown({ man });
  expect({ written, seen, held }).toEqual({ written: '', seen: page, held: 0 });
});

test('a pager that there is not leaves the text', async () => {
  const { written, held } = await shown({ pager: 'no-such-pager --quick' });
  expect({ written, held }).toEqual({ written: text(60), held: 0 });
});

test('a pager that is left early is no failure, whatever it ends with', async () => {
  const { written, held } = await shown({ pager: 'exit 3', long: true });
  expect({ written, held }).toEqual({ written: '', held: 0 });
});

test('without a pager of one’s own it is less, which shows a short page at once', async () => {
  const { seen } = await shown({ pager: '', less: 'echo "$LESS" > "$SEEN"; cat >> "$SEEN"' });
  expect(seen).toBe(`FRX\n${text(60)}`);
});

interface CommandResult {
  readonly paged?: boolean;
  /** What `man` and `less` are, as lines of sh; there is none where they are missing. */
  readonly man?: string | undefined;
  readonly less?: string;
  readonly pager?: string;
  readonly long?: boolean;
}

/** What was written to stdout, what a pager that keeps it has seen, and how many pagers still hold Ctrl-C. */
async function shown({
  paged = true,
  man,
  less,
  pager = '/bin/cat > "$SEEN"',
  long = false,
}: CommandResult) {
  const directory = temporaryDirectory();
  const place = (name: string) => join(directory, name);
  for (const [name, script] of Object.entries({ man, less })) {
    if (script === undefined) continue;
    writeFileSync(place(name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
    chmodSync(place(name), 0o755);
  }
  writeFileSync(place('page.1'), laidOut);
  writeFileSync(place('seen'), '');
  // Neither man nor less of this machine is found.
  const env = { PATH: directory, SEEN: place('seen'), PAGE: place('page.1') };
  let written = '';
  let held = 0;
  await showManualPage(
    {
      file: 'page.1',
      text: long ? () => 'x'.repeat(1_000_000) : text,
      pager,
    },
    {
      manDirectory: directory,
      env,
      stdout: {
        isTerminal: true,
        columns: 60,
        isClosed: false,
        write: async (content) => {
          written += content;
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
  return { written, seen: readFileSync(place('seen'), 'utf8'), held };
}
