// How long petstore takes, and how much memory, beside an empty script, a bare `http.get`, curl and httpie, on
// every Node.js at hand. Each round runs every command once, so that a slow moment of the machine meets all of
// them; what is printed are ratios of medians. `npm run bench:startup [rounds] [path of another node...]`
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareGet, median, petstore, serve, timeOf } from './served.js';

const [rounds = '21', ...others] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const script = (name, text) => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};

const served = await serve(directory);
const { bare, env: remote } = served;
const empty = script('empty.cjs', '');
const get = bareGet(directory);
const peak = script(
  'peak.cjs',
  "process.on('exit', () => require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS)));",
);

/** `base` is what a command is compared with; `targets` are for Node.js 20 and for 24. */
const commands = [
  { name: 'empty script', args: [empty] },
  { name: '--version', args: [petstore, '--version'], base: 'empty script', targets: [1.15, 1.35] },
  { name: '--help', args: [petstore, '--help'], base: 'empty script', targets: [1.25, 1.6] },
  { name: 'completion bash', args: [petstore, 'completion', 'bash'], base: 'empty script' },
  { name: 'bare http.get', args: [get], env: remote },
  {
    name: 'pets list --json',
    args: [petstore, 'pets', 'list', '--json'],
    env: remote,
    base: 'bare http.get',
    targets: [1.5, 1.35],
  },
  {
    name: 'pets list',
    args: [petstore, 'pets', 'list'],
    env: remote,
    base: 'pets list --json',
    targets: [1.15, 1.15],
  },
  {
    name: 'sandbox: pets list --json',
    args: [petstore, 'pets', 'list', '--json'],
    base: 'bare http.get',
    targets: [1.3, 1],
  },
  {
    name: 'sandbox: pets list',
    args: [petstore, 'pets', 'list'],
    base: 'bare http.get',
    targets: [1.45, 1.1],
  },
  ...(found('curl')
    ? [
        {
          name: 'curl',
          program: 'curl',
          args: ['-sSfH', `Authorization: ${served.authorization}`, served.url],
        },
      ]
    : []),
  ...(found('http')
    ? [
        {
          name: 'httpie',
          program: 'http',
          args: ['-b', served.url, `Authorization:${served.authorization}`],
        },
      ]
    : []),
];

try {
  for (const node of [process.execPath, ...cached(), ...others]) measure(node);
} finally {
  served.child.kill();
  await once(served.child, 'close');
  rmSync(directory, { recursive: true, force: true });
}

function measure(node) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  run(node, { args: [petstore, 'sandbox', 'reset', '--yes', '--plan', 'enterprise'] });
  for (const command of commands) run(node, command);
  const times = new Map(commands.map(({ name }) => [name, []]));
  for (let round = 0; round < Number(rounds); round += 1) {
    for (const command of commands) times.get(command.name).push(run(node, command));
  }
  const medians = new Map([...times].map(([name, values]) => [name, median(values)]));
  const column = Number(version.slice(1).split('.')[0]) < 24 ? 0 : 1;
  console.log(
    `\nNode ${version}, ${rounds} rounds\n\n| command | ratio | to | target |\n| --- | --- | --- | --- |`,
  );
  for (const { name, base = 'empty script', targets } of commands) {
    const ratio = medians.get(name) / medians.get(base);
    const target = targets?.[column];
    const verdict = target === undefined ? '' : `${target}${ratio <= target ? '' : ' (missed)'}`;
    console.log(`| ${name} | ${ratio.toFixed(2)} | ${base} | ${verdict} |`);
  }
  const listing = commands.find(({ name }) => name === 'pets list');
  const memory = peakOf(node, listing) / peakOf(node, commands[0]);
  console.log(`| peak memory of pets list | ${memory.toFixed(2)} | empty script | 1.35 |`);
}

function run(node, { program = node, args, env = bare }) {
  return timeOf(program, args, env);
}

function peakOf(node, { args, env = bare }) {
  const peaks = Array.from({ length: 7 }, () => {
    const stdio = ['ignore', 'ignore', 'ignore', 'pipe'];
    return Number(spawnSync(node, ['-r', peak, ...args], { env, stdio }).output[3]);
  });
  return median(peaks);
}

/** The versions of Node.js that the tests have fetched. */
function cached() {
  const folder = join(import.meta.dirname, '../node_modules/.cache/petstore');
  const name = `node-${process.platform}-${process.arch}`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((version) => join(folder, version, 'node_modules', name, 'bin/node'))
    .filter((path) => existsSync(path));
}

function found(program) {
  return spawnSync(program, ['--version']).status === 0;
}
