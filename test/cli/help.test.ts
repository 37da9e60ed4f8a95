import { expect, test } from 'vitest';
import { flattenOutline } from '../../src/docgen/outline.js';
import { topicNames } from '../../src/docgen/topics.js';
import { outlineAllCommands } from '../../src/generate.js';
import { createTestCli } from '../support/test-cli.js';

const commands = flattenOutline(outlineAllCommands());
const named = commands.map((outline) => [outline.words.join(' '), outline] as const);

/** The imperative verbs that start summaries. */
const verbs = [
  'Add',
  'Back',
  'Back',
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
  'Rename',
  'Reset',
  'Restore',
  'Revoke',
  'Run',
  'Save',
  'Select',
  'Send',
  'Set',
  'Show',
  'Switch',
  'View',
  'Verify',
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

test.each([
  ['--help pets', 'pets'],
  ['-h pets list', 'pets list'],
  ['pets --help list --json', 'pets list'],
  ['serve --help keys create', 'serve keys create'],
  ['--help --json', ''],
])('petstore %s prints the help of the command that it names', async (words, path) => {
  const { run } = createTestCli();
  const { stdout } = await run([...(path === '' ? [] : path.split(' ')), '--help']);
  expect(await run(words.split(' '))).toEqual({ stdout, stderr: '', exitCode: 0 });
});

test('--help after -- is an argument', async () => {
  const { stderr } = await createTestCli().run(['pets', 'get', '--', '--help', 'x']);
  expect(stderr).toContain('petstore pets get takes at most 1 argument');
});

test.each([80, 40])('help wraps at words in %d columns, and breaks no command', async (columns) => {
  const { run } = createTestCli({ columns });
  for (const command of [[], ['pets', 'import']]) {
    const { stdout } = await run([...command, '--help']);
    const long = stdout.split('\n').filter((line) => line.length > columns && !/^ *(?:# |petstore )/.test(line));
    expect(long).toEqual([]);
  }
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

test.each(named)('%s describes flags and arguments with phrases, and examples with captions', (_, outline) => {
  for (const { description, names, value = '' } of outline.flags) {
    expect(description, names.join()).toMatch(/^(?:[a-z0-9-]|API|TCP|SQLite|JSON|HTTP).*[^.]$/);
    if (!['-f', '-F'].includes(names[0] ?? '')) expect(value, names.join()).toMatch(/^$|^[<[][a-z0-9:-]+[>\]]$/);
  }
  for (const { description } of outline.arguments) expect(description).toMatch(/^\S.*[^.]$/);
  for (const [, caption] of outline.examples) expect(caption).toMatch(/^[A-Z].*[^.]$/);
});

test('the help of petstore names every topic', async () => {
  const { stdout } = await createTestCli({ columns: 200 }).run(['--help']);
  expect(stdout).toContain(`Topics (${topicNames.join(', ')}): petstore help <topic>`);
});

test('help groups flags', async () => {
  const { run } = createTestCli();
  expect((await run(['serve', '--help'])).stdout.split('\nLearn more:')[0]).toMatchInlineSnapshot(`
    "Usage: petstore serve [flags] [command]

    Run a local petstore server.

    Examples:
      # Serve on http://127.0.0.1:4010/v1
      petstore serve
      # Start a temporary server for a test
      petstore serve --port 0 --database :memory: --json
      # Set a flag with its environment variable
      PETSTORE_SERVE_PORT=0 petstore serve
      # Simulate a slow and unreliable service
      petstore serve --latency 200 --fault 503:0.05 --fault seed:1
      # Create another API key
      petstore serve keys create --plan pro --label ci
      # Simulate the day after the removal of \`GET /pets/{petId}\`
      petstore serve --clock 2030-12-06 --database :memory:

    Commands:
      keys  Manage the API keys of a server.

    Connection flags:
      --port <n>            port to listen on; 0 picks a free port (default: 4010)
      --host <address>      address to listen on (default: 127.0.0.1)
      --allow-host <name>   additional host name to accept (repeatable)
      --trust-proxy <cidr>  network of reverse proxies whose X-Forwarded-For header
                            to use (repeatable)

    Operation flags:
      --log <format>      format of the log on stderr: text, json, none (default:
                          text)
      --drain <seconds>   time to respond to further requests after SIGINT or
                          SIGTERM, while GET /readyz responds with 503 (default: 0)
      --metrics-port <n>  serve Prometheus metrics on this port; 0 picks a free port

    Data flags:
      --api-key-file <file>  read the API key from this file (default: create a key
                             on first start)
      --database <file>      SQLite path, postgres:// URL, or :memory: (not
                             persisted) (default: a file in the data directory)

    Limit flags:
      --plan <plan>     rate-limit plan: free, pro, business, enterprise
      --per-minute <n>  requests per minute, instead of those of the plan
      --per-day <n>     requests per day, instead of those of the plan

    Fault injection flags:
      --latency <ms>   delay each response by this many milliseconds
      --fault <fault>  inject failures with a probability, such as 503:0.05 or
                       reset:0.01; seed:42 makes them reproducible (repeatable)
      --clock <time>   simulated start time, such as 2030-12-06 or
                       2030-12-04T23:59:50Z (UTC)
    "
  `);
});
