// Compares duration and memory of petstore with an empty script, a bare `http.get`, curl and httpie, on every Node.js
// that is installed. Each round runs every command once, so that a slow moment of the machine affects all of them.
// Also compares the executable that `npm run standalone` built, and `gh --version`, with Node.js. Prints ratios of
// medians. `npm run bench:startup [rounds] [path of another node...]`
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, petstore, serve } from './serve.js';

const [rounds = '21', ...others] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const writeScript = (name, text) => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};

const server = await serve(directory);
const { bare, env: remote } = server;
const empty = writeScript('empty.cjs', '');
/** Prints the list with node:http only. */
const get = writeScript(
  'get.cjs',
  `const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key } = process.env;
  require('node:http').get(base + '/pets', { headers: { authorization: 'Bearer ' + key } }, (response) => {
    if (response.statusCode !== 200) throw new Error(String(response.statusCode));
    response.setEncoding('utf8');
    let text = '';
    response.on('data', (chunk) => { text += chunk; });
    response.on('end', () => process.stdout.write(text));
  });`,
);
const recordPeak = writeScript(
  'peak.cjs',
  "process.on('exit', () => require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS)));",
);

const executable = join(import.meta.dirname, `../out/petstore-${process.platform}-${process.arch}`);

/** Each command is compared with its `base`. The `targets` are the maximum ratios on Node.js 20 and 24. */
const commands = [
  { name: 'empty script', args: [empty] },
  { name: '--version', args: [petstore, '--version'], base: 'empty script', targets: [1.15, 1.35] },
  { name: '--help', args: [petstore, '--help'], base: 'empty script', targets: [1.3, 1.6] },
  { name: 'completion bash', args: [petstore, 'completion', 'bash'], base: 'empty script' },
  { name: 'Tab', args: [petstore, '__complete', '--', 'pets', 'l'], base: 'empty script' },
  { name: 'bare http.get', args: [get], env: remote },
  {
    name: 'pets list --json',
    args: [petstore, 'pets', 'list', '--json'],
    env: remote,
    base: 'bare http.get',
    targets: [1.5, 1.4],
  },
  {
    name: 'pets list',
    args: [petstore, 'pets', 'list'],
    env: remote,
    base: 'pets list --json',
    targets: [1.2, 1.2],
  },
  {
    name: 'sandbox: pets list --json',
    args: [petstore, 'pets', 'list', '--json'],
    base: 'bare http.get',
    targets: [1.3, 1.15],
  },
  {
    name: 'sandbox: pets list',
    args: [petstore, 'pets', 'list'],
    base: 'bare http.get',
    targets: [1.5, 1.3],
  },
  ...(isInstalled('curl')
    ? [
        {
          name: 'curl',
          program: 'curl',
          args: ['-sSfH', `Authorization: ${server.authorization}`, server.url],
        },
      ]
    : []),
  ...(isInstalled('gh') ? [{ name: 'gh --version', program: 'gh', args: ['--version'] }] : []),
  ...(existsSync(executable) ? executableCommands() : []),
  ...(isInstalled('http')
    ? [
        {
          name: 'httpie',
          program: 'http',
          args: ['-b', server.url, `Authorization:${server.authorization}`],
        },
      ]
    : []),
];

try {
  for (const node of [process.execPath, ...downloadedNodes(), ...others]) measure(node);
} finally {
  server.child.kill();
  await once(server.child, 'close');
  rmSync(directory, { recursive: true, force: true });
}

/** The commands of the executable. Their targets are for Node.js 24. */
function executableCommands() {
  const list = { program: executable, args: ['pets', 'list', '--json'] };
  return [
    { name: 'executable: --version', program: executable, args: ['--version'], targets: [undefined, 0.5] },
    { name: 'executable: Tab', program: executable, args: ['__complete', 'pets', 'l'] },
    { name: 'executable: sandbox: pets list --json', ...list, targets: [undefined, 1] },
    { name: 'executable: pets list --json', ...list, env: remote, base: 'bare http.get', targets: [undefined, 0.8] },
  ];
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
  console.log(`\nNode ${version}, ${rounds} rounds\n\n| command | ratio | to | target |\n| --- | --- | --- | --- |`);
  for (const { name, base = 'empty script', targets } of commands) {
    const ratio = medians.get(name) / medians.get(base);
    console.log(`| ${name} | ${ratio.toFixed(2)} | ${base} | ${verdictOf(ratio, targets?.[column])} |`);
  }
  const listing = commands.find(({ name }) => name === 'pets list');
  const memory = peakOf(node, listing) / peakOf(node, commands[0]);
  console.log(`| peak memory of pets list | ${memory.toFixed(2)} | empty script | ${verdictOf(memory, 1.35)} |`);
  if (existsSync(executable) && existsSync('/usr/bin/time')) {
    const ratio = executablePeak() / peakOf(node, commands[0]);
    console.log(`| executable: peak memory of pets list | ${ratio.toFixed(2)} | empty script | |`);
    console.log(
      `\nThe executable completes a word in ${medians.get('executable: Tab').toFixed(0)} ms (target: 40 ms).`,
    );
  }
}

/** Returns the target as text, marked if the ratio exceeds it. */
function verdictOf(ratio, target) {
  if (target === undefined) return '';
  return ratio <= target ? String(target) : `${target} (missed)`;
}

/** Runs a command and returns its duration in milliseconds. Throws if it fails. */
function run(node, { program = node, args, env = bare }) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(program, args, { env });
  const time = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return time;
}

/** Returns the median peak memory of a command in kilobytes. */
function peakOf(node, { args, env = bare }) {
  const peaks = Array.from({ length: 7 }, () => {
    const stdio = ['ignore', 'ignore', 'ignore', 'pipe'];
    return Number(spawnSync(node, ['-r', recordPeak, ...args], { env, stdio }).output[3]);
  });
  return median(peaks);
}

/** Returns the median peak memory of a list by the executable in kilobytes, measured by GNU time. */
function executablePeak() {
  const peaks = Array.from({ length: 7 }, () => {
    const { stderr } = spawnSync('/usr/bin/time', ['-f', '%M', executable, 'pets', 'list'], { env: bare });
    return Number(String(stderr).trim().split('\n').at(-1));
  });
  return median(peaks);
}

/** Returns the paths of the Node.js versions that the tests have downloaded. */
function downloadedNodes() {
  const folder = join(import.meta.dirname, '../node_modules/.cache/petstore');
  const name = `node-${process.platform}-${process.arch}`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((version) => join(folder, version, 'node_modules', name, 'bin/node'))
    .filter((path) => existsSync(path));
}

function isInstalled(program) {
  return spawnSync(program, ['--version']).status === 0;
}
