// Runs `petstore serve` under mixed load with faults, and the command line many times in a row meanwhile. Fails if the
// server's memory or its open files grow, if it loses a pet that it acknowledged, or if a run leaves a file, a lock or a
// process behind. `node bench/soak.js [minutes] [runs]`
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, petstore, serve } from './served.js';

const minutes = Number(process.argv[2] ?? 60);
const runs = Number(process.argv[3] ?? 10_000);
const directory = mkdtempSync(join(tmpdir(), 'petstore-soak-'));
const temporary = join(directory, 'tmp');
mkdirSync(temporary);
writeFileSync(join(directory, 'pets.csv'), 'name,categoryId\nRex,7\nTom,8\n');

const faults = ['503:0.02', 'reset:0.01', 'seed:1'].flatMap((fault) => ['--fault', fault]);
const server = await serve(directory, join(directory, 'store.db'), '--metrics-port', '0', ...faults);
const end = Date.now() + minutes * 60_000;
const statuses = new Map();
const acknowledged = new Set();

const count = (name) => statuses.set(name, (statuses.get(name) ?? 0) + 1);

async function request(path, options = {}) {
  const headers = { authorization: server.authorization, 'content-type': 'application/json', ...options.headers };
  try {
    const response = await fetch(server.baseUrl + path, { signal: AbortSignal.timeout(30_000), ...options, headers });
    const text = await response.text();
    count(response.status);
    return { status: response.status, text };
  } catch (error) {
    // The faults cause resets.
    count(error.name);
    return {};
  }
}

async function addPet() {
  const body = JSON.stringify({ name: `Rex ${randomUUID()}`, categoryId: 7 });
  const headers = { 'idempotency-key': randomUUID() };
  const { status, text } = await request('/pets', { method: 'POST', body, headers });
  if (status === 201) acknowledged.add(JSON.parse(text).id);
}

/** Sends part of a request and closes the connection, at once or after a second. */
async function abandonRequest(text, delayMs) {
  const { hostname, port } = new URL(server.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => count('abandoned'));
  socket.write(text);
  await sleep(delayMs);
  socket.destroy();
}

const header = 'POST /v1/pets HTTP/1.1\r\nHost: localhost\r\n';
const actions = [
  () => request('/pets?limit=20'),
  () => request('/pets?limit=100&status=sold'),
  () => request(`/pets/${1 + Math.floor(Math.random() * 100)}`),
  () => request('/store/orders'),
  addPet,
  addPet,
  () => request('/pets', { method: 'POST', body: '{"name":""}' }),
  () => request('/pets', { method: 'POST', body: '{'.repeat(200_000) }),
  () => request('/pets?limit=0'),
  () => request('/missing'),
  () => request('/pets', { headers: { authorization: `Bearer ${randomUUID()}` } }),
  () => request('/pets', { headers: { 'x-filler': 'a'.repeat(20_000) } }),
  () => request('/../healthz'),
  () => abandonRequest(`${header}Content-Length: 100\r\n\r\n{"name"`, 1_000),
  () => abandonRequest(`${header}Transfer-Encoding: chunked\r\n\r\n1\r\n{`, 0),
  () => abandonRequest(header, 1_000),
];

async function sendMixedLoad() {
  while (Date.now() < end) {
    await actions[Math.floor(Math.random() * actions.length)]();
    // Leaves time for the runs of the command line.
    await sleep(50);
  }
}

const key = ['--profile', 'staging'];
const commandLines = [
  ['pets', 'list', '--json'],
  ['pets', 'list', '--status', 'available'],
  ['pets', 'list', '--all', '--output', 'ndjson'],
  ['pets', 'list', '--jq', '.[0].id'],
  ['pets', 'add', '--name', 'Rex', '--category-id', '7'],
  ['pets', 'import', join(directory, 'pets.csv')],
  ['quota'],
  ['--version'],
  ['pets', 'list', '--help'],
  ['profile', 'list'],
  ['__complete', 'pets', 'l'],
  ['pets', 'list', ...key],
  ['pets', 'list', '--limit', '5', '--json', ...key],
  ['pets', 'add', '--name', 'Rex', '--category-id', '7', ...key],
  ['pets', 'get', '1', ...key],
];
const exitCodes = new Map();

/** Runs a command and returns when it has ended. One run in 47 is interrupted. */
async function runCommand(home, number) {
  const args = commandLines[number % commandLines.length];
  const isRemote = args.includes('staging');
  const child = spawn(process.execPath, [petstore, ...args], {
    env: {
      ...server.bare,
      ...{ HOME: home, TMPDIR: temporary },
      ...(isRemote && { PETSTORE_BASE_URL: server.baseUrl, PETSTORE_API_KEY: server.env.PETSTORE_API_KEY }),
    },
    stdio: 'ignore',
  });
  // Prime, so that each command is interrupted.
  if (number % 47 === 46) {
    setTimeout(() => child.kill(number % 2 === 0 ? 'SIGINT' : 'SIGTERM'), Math.random() * 150);
  }
  const [code, signal] = await new Promise((resolve) => child.once('exit', (...result) => resolve(result)));
  const name = `${args.slice(0, 2).join(' ')}: ${signal ?? code}`;
  exitCodes.set(name, (exitCodes.get(name) ?? 0) + 1);
}

const listFiles = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

/** Returns the files after the first hundred runs, which create the caches and the data, and after all runs. */
async function runCommands() {
  const home = join(directory, 'home');
  mkdirSync(home);
  const plan = spawn(process.execPath, [petstore, 'sandbox', 'plan', 'enterprise'], {
    env: { ...server.bare, HOME: home },
    stdio: 'ignore',
  });
  await once(plan, 'exit');
  let before = [];
  for (let number = 0; number < runs; number += 1) {
    await runCommand(home, number);
    if (number === 100) before = listFiles(home);
  }
  return { home, before, after: listFiles(home) };
}

function findProcesses(home) {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${home}\0`);
    } catch {
      return false;
    }
  });
}

/** Records memory in megabytes and open files, twice a minute. */
async function sampleServer(samples) {
  while (Date.now() < end) {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'));
    const files = readdirSync(`/proc/${server.child.pid}/fd`).length;
    samples.push({ megabytes: Number(kilobytes) / 1024, files });
    await sleep(30_000);
  }
}

async function listIds() {
  const ids = new Set();
  for (let path = '/pets?limit=100'; path !== undefined; ) {
    const response = await fetch(server.baseUrl + path, { headers: { authorization: server.authorization } }).catch(
      () => undefined,
    );
    const pets = response?.ok ? await response.json().catch(() => undefined) : undefined;
    // A fault: the same page again.
    if (pets === undefined) continue;
    for (const { id } of pets) ids.add(id);
    const [, next] = /<([^>]*)>; *rel="?next/.exec(response.headers.get('link') ?? '') ?? [];
    path = next && new URL(next, server.url).href.slice(server.baseUrl.length);
  }
  return ids;
}

const failures = [];
const check = (text, isMet) => {
  console.log(`${isMet ? 'ok' : 'FAILED'}  ${text}`);
  if (!isMet) failures.push(text);
};

const samples = [];
const load = Promise.all([sampleServer(samples), ...Array.from({ length: 16 }, sendMixedLoad)]);
const { home, before, after } = await runCommands();
await load;
console.log('responses', Object.fromEntries(statuses));
console.log('exit codes', Object.fromEntries([...exitCodes].sort()));

const quarter = (index, name) => {
  const size = samples.length / 4;
  return median(samples.slice(index * size, (index + 1) * size).map((sample) => sample[name]));
};
const memory = [0, 1, 2, 3].map((index) => Math.round(quarter(index, 'megabytes')));
const files = [0, 1, 2, 3].map((index) => quarter(index, 'files'));
check(`memory by quarter, in MB: ${memory.join(', ')}`, memory[3] <= memory[1] * 1.1);
check(`open files by quarter: ${files.join(', ')}`, files[3] <= files[1] + 8);
const ids = await listIds();
const lost = [...acknowledged].filter((id) => !ids.has(id));
check(`${lost.length} of ${acknowledged.size} acknowledged pets are missing`, lost.length === 0);
const added = after.filter((path) => !before.includes(path));
check(`files that appeared after the first hundred runs: ${added.join(', ') || 'none'}`, added.length === 0);
const locks = after.filter((path) => /lock|\.tmp|\.new/i.test(path));
check(`locks and temporary files: ${locks.join(', ') || 'none'}`, locks.length === 0);
check(`files in the folder for temporary files: ${readdirSync(temporary).length}`, readdirSync(temporary).length === 0);
const processes = findProcesses(home);
check(`processes after ${runs} runs: ${processes.length}`, processes.length === 0);

server.child.kill();
await once(server.child, 'exit');
rmSync(directory, { recursive: true, force: true });
process.exitCode = failures.length > 0 ? 1 : 0;
