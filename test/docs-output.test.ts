import { expect, test } from 'vitest';
import { readDocs, replaceConsoleBlocks } from './support/docs.js';
import { openDocsSession } from './support/docs-session.js';
import { isInstalled } from './support/programs.js';

const pages = [...readDocs()].filter(([, text]) => text.includes('```console\n'));

for (const [path, text] of pages) {
  const missing = ['curl', 'jq'].filter((name) => text.match(`[|$] ${name}\\b`) && !isInstalled(name));
  const needs = missing.map((name) => ` (needs ${name})`).join('');
  test.skipIf(missing.length > 0)(
    `${path} shows what petstore prints (npm run outputs)${needs}`,
    async () => {
      const session = await openDocsSession({ isFirstRun: path === 'README.md' });
      const current = await replaceConsoleBlocks(text, async (body) => {
        const commands = body.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));
        const isInterrupted = body.includes('\n^C\n');
        const outputs = isInterrupted ? [await session.interruptWait(commands)] : await session.run(commands);
        const runs = commands.map((command, index) => formatRun(command, outputs[index]));
        const fresh = `${runs.join('\n').trimEnd()}\n`;
        return maskVariable(fresh) === maskVariable(body) ? body : fresh;
      });
      await expect(current).toMatchFileSnapshot(`../${path}`);
    },
    60_000,
  );
}

/** Ends with an empty line if there is output before the next command. */
function formatRun(command: string, output = ''): string {
  return output === '' ? `$ ${command}` : `$ ${command}\n${output}\n`;
}

/** Replaces what differs from run to run. Keys come first, because the end of a key can look like a duration (`536s`). */
function maskVariable(text: string): string {
  return text
    .replaceAll(/pets_\w*…?\w*/g, '<key>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, '<time>')
    .replaceAll(/--max-wait [1-9]\d*/g, '--max-wait <duration>')
    .replaceAll(/\b\d+\.\d+\.\d+\b/g, '<version>')
    .replaceAll(/\b[\d,]+(?:\.\d+)?(?:h|m|s| ms| days)\b(?: \d+s\b)?/g, '<duration>')
    .replaceAll(/\b\d+\.\d+\b/g, '<rate>')
    .replaceAll(/\b\d+ of (\d+) requests left\b/g, '<count> of $1 requests left');
}
