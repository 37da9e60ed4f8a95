import { expect, test } from 'vitest';
import { flattenOutline } from '../../src/docgen/outline.js';
import { outlineAllCommands } from '../../src/generate.js';
import { createTestCli } from '../support/test-cli.js';

const commands = flattenOutline(outlineAllCommands());
const named = commands.map((outline) => [outline.words.join(' '), outline] as const);

/** The imperative verbs that start summaries. */
const verbs = [
  'Add',
  'Browse',
  'Change',
  'Check',
  'Create',
  'Delete',
  'Diagnose',
  'Export',
  'Import',
  'List',
  'Log',
  'Manage',
  'Print',
  'Remove',
  'Reset',
  'Revoke',
  'Run',
  'Select',
  'Send',
  'Set',
  'Show',
  'Switch',
  'View',
  'Work',
];

test.each(named)('%s --help fits into 99 columns with examples first', async (_, outline) => {
  const { run } = createTestCli({ columns: 200 });
  const { stdout, exitCode } = await run([...outline.words.slice(1), '--help']);
  expect(exitCode).toBe(0);
  expect(stdout.split('\n').filter((line) => line.length > 99)).toEqual([]);
  const [usage, purpose, examples] = stdout.split('\n\n');
  expect(usage).toMatch(/^Usage: petstore/);
  expect(purpose?.replaceAll('\n', ' ')).toBe(outline.summary);
  expect(examples).toMatch(/^Examples:\n {2}# /);
  const at = (title: string) => stdout.indexOf(`\n${title}\n`);
  const isRoot = outline.words.length === 1;
  expect(at('Global flags:') > 0).toBe(isRoot);
  expect(at('Learn more:')).toBeGreaterThan(Math.max(at('Examples:'), at('Global flags:')));
  if (!isRoot) expect(stdout).toMatch(/^ {2}Global flags \(--profile, .*\): petstore --help$/m);
});

test.each(named)('%s has examples and a summary of one sentence', (words, outline) => {
  expect(outline.examples.length).toBeGreaterThan(0);
  expect(outline.summary).toMatch(/^[A-Z][^.]*\.$/);
  expect(verbs).toContain(outline.summary.split(/[ ,]/)[0]);
  expect(outline.summary.length).toBeLessThanOrEqual(60);
  for (const [line] of outline.examples) {
    const own = outline.commands.length > 0 ? 'petstore ' : words;
    expect(line).toContain(own);
  }
});

test('help groups flags', async () => {
  const { run } = createTestCli();
  expect((await run(['serve', '--help'])).stdout.split('\nLearn more:')[0]).toMatchInlineSnapshot(`
    "Usage: petstore serve [flags] [command]

    Run the animal store itself, for others to use.

    Examples:
      # serve on http://127.0.0.1:4010/v1
      petstore serve
      # a throw-away store for a test
      petstore serve --port 0 --database :memory: --json
      # a store to test a script with
      petstore serve --latency 200 --fault 503:0.05 --fault seed:1
      # a further key, for someone else
      petstore serve keys create --plan pro --label ci
      # a store of the day after \`pets get\` is removed: it answers 410
      petstore serve --clock 2030-12-06 --database :memory:

    Commands:
      keys  Look after the API keys of the store.

    Address flags:
      --port <n>           0 for any free one (default: 4010)
      --host <address>     address to listen on (default: 127.0.0.1)
      --allow-host <name>  name that leads here, without port; may be given again
      --metrics            answer GET /metrics, for Prometheus

    Data flags:
      --api-key-file <file>  serve the API key in this file (default: one made at
                             first start)
      --database <file>      or postgres://user@host/name; :memory: is forgotten
                             (default: in the data directory)

    Limit flags:
      --plan <plan>     free, pro, business, enterprise
      --per-minute <n>  requests a minute, with --plan enterprise
      --per-day <n>     requests a day, with --plan enterprise

    Trouble flags:
      --latency <ms>
          milliseconds that every answer takes longer
      --fault <kind:probability>
          fail now and then: 503:0.05, reset:0.01, 429:0.1; seed:42 repeats the same
          ones; may be given again
      --clock <time>
          live at another time, such as 2030-12-06 or 2030-12-04T23:59:50Z (UTC)
    "
  `);
});
