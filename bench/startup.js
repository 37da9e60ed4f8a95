// How long petstore takes to start, as ratios to an empty script, measured in one run: each round runs every
// command once, so that a slow moment of the machine meets all of them. `node bench/startup.js [rounds]`
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const rounds = Number(process.argv[2] ?? 31);
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const empty = join(directory, 'empty.cjs');
writeFileSync(empty, '');
const petstore = join(import.meta.dirname, '../bin/petstore.js');

const commands = [
  { name: 'empty script', args: [empty] },
  { name: 'petstore --version', args: [petstore, '--version'], atMost: 1.25 },
  { name: 'petstore --help', args: [petstore, '--help'] },
  { name: 'petstore profile list --json', args: [petstore, 'profile', 'list', '--json'] },
];

function time({ args }) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, {
    // Nothing that makes Node.js itself slower, such as NODE_EXTRA_CA_CERTS.
    env: { PATH: process.env.PATH, HOME: directory },
  });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return Number(process.hrtime.bigint() - start) / 1e6;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

for (const command of commands) time(command);
const times = new Map(commands.map(({ name }) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const command of commands) times.get(command.name).push(time(command));
}
rmSync(directory, { recursive: true });

const base = median(times.get('empty script'));
console.log(`Node ${process.versions.node}, median of ${rounds} rounds, ratio to an empty script`);
for (const { name, atMost } of commands) {
  const ratio = median(times.get(name)) / base;
  const verdict =
    atMost === undefined ? '' : `  (target ${atMost}: ${ratio <= atMost ? 'met' : 'missed'})`;
  console.log(`${name.padEnd(30)} ${ratio.toFixed(2)}${verdict}`);
  if (atMost !== undefined && ratio > atMost) process.exitCode = 1;
}
