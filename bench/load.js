// Compares the throughput of `petstore serve` with a bare node:http server that sends the same bytes, json-server and
// Prism, all with the same pets. Each round loads every server in turn, so that a slow moment of the machine affects all
// of them. Installs the peers into node_modules/.cache on first use. Fails if petstore misses a target. With --soak,
// loads petstore alone, with faults, and fails if its memory or its open files grow or an acknowledged pet is lost. The
// folder is another checkout with its build, to compare with.
// `node bench/load.js [rounds] [seconds] [folder]` or `node bench/load.js --soak [minutes]`
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { median, serve } from './serve.js';

const isSoak = process.argv[2] === '--soak';
const soakMinutes = Number(process.argv[3] ?? 60);
const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 3);
const otherCheckout = process.argv[4];
const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules/.cache/peers/load');
const peers = ['autocannon@8.0.0', 'json-server@0.17.4', '@stoplight/prism-cli@5.14.2'];
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const running = [];
const stopClusters = [];
const isRoot = process.getuid?.() === 0;
const unprivilegedUser = 65_534;

/** Installs the peers on first use, and returns the load generator. */
function loadAutocannon() {
  if (!existsSync(join(cache, 'node_modules/autocannon'))) {
    const flags = ['--no-save', '--no-audit', '--no-fund', '--prefix', cache];
    execFileSync('npm', ['install', ...flags, ...peers], { stdio: 'inherit' });
  }
  return createRequire(join(cache, 'x.js'))('autocannon');
}

const autocannon = isSoak ? undefined : loadAutocannon();
const bin = (name) => join(cache, 'node_modules/.bin', name);

function start(command, args) {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, HOME: directory },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  running.push(child);
  return child;
}

async function startPetstore(name, checkout, givenDatabase) {
  const home = join(directory, name.replaceAll(' ', '-'));
  mkdirSync(home);
  const database = givenDatabase ?? join(home, 'store.db');
  const { child, url, authorization } = await serve(home, { database, program: join(checkout, 'bin/petstore.js') });
  running.push(child);
  return { name, child, headers: { authorization }, url, query: '?limit=20' };
}

/** Serves the bytes of a page of petstore, headers included. */
async function startBare({ url, query, headers }) {
  const response = await fetch(url + query, { headers });
  const own = ['connection', 'date', 'keep-alive'];
  const page = {
    headers: Object.fromEntries([...response.headers].filter(([name]) => !own.includes(name))),
    body: await response.text(),
  };
  const script = `const { headers, body } = JSON.parse(process.argv[1]);
    const bytes = Buffer.from(body);
    require('node:http').createServer((request, response) => {
      response.writeHead(200, headers);
      response.end(bytes);
    }).listen(4800, '127.0.0.1');`;
  const child = start(process.execPath, ['-e', script, JSON.stringify(page)]);
  return { name: 'bare node:http', child, headers, url: 'http://127.0.0.1:4800/v1/pets', query };
}

function startJsonServer(pets) {
  writeFileSync(join(directory, 'db.json'), JSON.stringify({ pets }));
  const child = start(bin('json-server'), ['--port', '4801', '--quiet', join(directory, 'db.json')]);
  return { name: 'json-server', child, url: 'http://127.0.0.1:4801/pets', query: '?_limit=20' };
}

function startPrism(pets) {
  const spec = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'));
  const list = spec.paths['/pets'].get.responses['200'].content['application/json'];
  delete list.examples;
  list.example = pets;
  writeFileSync(join(directory, 'openapi.yaml'), stringify(spec));
  const args = ['mock', '--port', '4802', '--verboseLevel', 'silent'];
  const child = start(bin('prism'), [...args, join(directory, 'openapi.yaml')]);
  const headers = { authorization: 'Bearer pets_x' };
  return { name: 'Prism', child, headers, url: 'http://127.0.0.1:4802/pets', query: '?limit=20' };
}

async function waitForResponse({ name, url, query, headers }) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const response = await fetch(url + query, { headers }).catch(() => undefined);
    if (response?.ok) return response.json();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} does not respond`);
}

/** Returns the CPU time that a process has used, in microseconds. */
function cpuTime({ pid }) {
  const [, fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13);
  const microsecondsPerTick = 10_000;
  return (Number(user) + Number(system)) * microsecondsPerTick;
}

function peakMegabytes({ pid }) {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** Loads a server and returns the number of requests per second and the CPU time of each, in microseconds. */
async function load({ name, child, url, query = '', headers }, connections, options = {}) {
  const before = cpuTime(child);
  const { requests, non2xx, errors } = await autocannon({
    ...{ url: url + query, headers, connections, duration: seconds },
    ...options,
  });
  if (non2xx + errors > 0) throw new Error(`${name}: ${non2xx} rejected, ${errors} failed`);
  return { rate: requests.average, cpu: (cpuTime(child) - before) / requests.total };
}

async function compareLists(servers, connections) {
  const results = new Map(servers.map(({ name }) => [name, []]));
  // Without a warm-up, the first round would measure V8's compilers.
  for (const server of servers) await load(server, connections);
  for (let round = 0; round < rounds; round += 1) {
    for (const server of servers) results.get(server.name).push(await load(server, connections));
  }
  const of = (name, key) => median(results.get(name).map((result) => result[key]));
  console.log(`\nGET /v1/pets?limit=20, ${connections} connections`);
  for (const { name, child } of servers) {
    const share = of(name, 'rate') / of('bare node:http', 'rate');
    const cpuRatio = of(name, 'cpu') / of('bare node:http', 'cpu');
    console.log(
      `${name.padEnd(24)} ${of(name, 'rate').toFixed(0).padStart(6)} requests/s  ${share.toFixed(2)} of bare  ` +
        `${cpuRatio.toFixed(2).padStart(5)} times its CPU time  ${peakMegabytes(child)} MB at most`,
    );
  }
  const min = connections === 8 ? 0.35 : 0.45;
  check('requests/s, of bare node:http', of('petstore', 'rate') / of('bare node:http', 'rate'), { min });
  check('requests/s, of json-server', of('petstore', 'rate') / of('json-server', 'rate'), { min: 3 });
  check('CPU time, of bare node:http', of('petstore', 'cpu') / of('bare node:http', 'cpu'), { max: 3 });
}

/** Compares adds on one connection and on 32. */
async function compareAdds({ name, headers, ...server }) {
  const options = { method: 'POST', body: JSON.stringify({ name: 'Rex', categoryId: 7 }) };
  const adds = { ...server, name, query: '', headers: { ...headers, 'content-type': 'application/json' } };
  const rates = { 1: [], 32: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const connections of [1, 32]) rates[connections].push((await load(adds, connections, options)).rate);
  }
  const [one, many] = [median(rates[1]), median(rates[32])];
  const ratio = `${(many / one).toFixed(1)} times as many`;
  console.log(`${name.padEnd(24)} ${one.toFixed(0)} requests/s on 1 connection, ${many.toFixed(0)} on 32: ${ratio}`);
  return many / one;
}

function check(label, ratio, { min, max }) {
  // NaN misses every target.
  if (ratio >= (min ?? 0) && ratio <= (max ?? Number.POSITIVE_INFINITY)) return;
  const target = min === undefined ? `at most ${max}` : `at least ${min}`;
  console.log(`MISSED: ${label}: ${ratio.toFixed(2)}; the target is ${target}`);
  process.exitCode = 1;
}

/** Starts PostgreSQL with its default, synchronous commits, and returns its URL. */
function startPostgres(name) {
  const folder = join(directory, name);
  const data = join(folder, 'data');
  mkdirSync(folder);
  if (isRoot) {
    chownSync(directory, unprivilegedUser, unprivilegedUser);
    chownSync(folder, unprivilegedUser, unprivilegedUser);
  }
  const flags = ['--username=petstore', '--auth=trust', '--encoding=UTF8', '--locale=C'];
  runPostgres('initdb', ['--no-instructions', ...flags, `--pgdata=${data}`]);
  const settings = [`unix_socket_directories='${folder}'`, "listen_addresses=''"];
  writeFileSync(join(data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  const control = ['--silent', '--wait', `--pgdata=${data}`];
  runPostgres('pg_ctl', ['start', ...control, `--log=${join(folder, 'log')}`]);
  stopClusters.push(() => runPostgres('pg_ctl', ['stop', '--mode=immediate', ...control]));
  return `postgres://petstore@/postgres?host=${folder}`;
}

function runPostgres(program, args) {
  const prefix = isRoot
    ? ['setpriv', `--reuid=${unprivilegedUser}`, `--regid=${unprivilegedUser}`, '--clear-groups']
    : [];
  const [file, ...rest] = [...prefix, join(findPrograms(), program), ...args];
  const { status, error } = spawnSync(file, rest, {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw error ?? new Error(`${program} ended with ${status}`);
}

function findPrograms() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(root, version, 'bin')),
  ];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')));
  if (!found) throw new Error('the programs of PostgreSQL are missing');
  return found;
}

async function comparePeers() {
  const petstore = await startPetstore('petstore', root);
  const pets = await waitForResponse(petstore);
  const onPostgres = await startPetstore('petstore, PostgreSQL', root, startPostgres('postgres'));
  const servers = [await startBare(petstore), petstore, onPostgres, startJsonServer(pets), startPrism(pets)];
  if (otherCheckout !== undefined) {
    servers.push(await startPetstore('the other', otherCheckout));
    servers.push(await startPetstore('the other, PostgreSQL', otherCheckout, startPostgres('other-postgres')));
  }
  for (const server of servers) await waitForResponse(server);
  console.log(`Node ${process.versions.node}, medians of ${rounds} rounds of ${seconds} s`);
  for (const connections of [8, 64]) await compareLists(servers, connections);
  console.log('\nPOST /v1/pets, each on disk before its 201');
  check('adds/s on 32 connections, of 1 connection', await compareAdds(petstore), { min: 4 });
  await compareAdds(onPostgres);
}

/** Sends valid and invalid requests to a server with faults, and checks its memory, its open files and its pets. */
async function soak() {
  const faults = ['503:0.02', 'reset:0.01', 'seed:1'].flatMap((fault) => ['--fault', fault]);
  const { child, url, authorization } = await serve(directory, {
    database: join(directory, 'store.db'),
    flags: faults,
  });
  running.push(child);
  const end = Date.now() + soakMinutes * 60_000;
  const acknowledged = new Set();
  const send = async (path, { headers, ...options } = {}) => {
    const given = { authorization, 'content-type': 'application/json', ...headers };
    // The faults cause resets.
    const response = await fetch(url + path, { ...options, headers: given }).catch(() => undefined);
    return { status: response?.status, text: await response?.text().catch(() => '') };
  };
  const addPet = async () => {
    const body = JSON.stringify({ name: 'Rex', categoryId: 7 });
    const { status, text } = await send('', { method: 'POST', body, headers: { 'idempotency-key': randomUUID() } });
    if (status === 201 && text !== '') acknowledged.add(JSON.parse(text).id);
  };
  const actions = [
    addPet,
    () => send('?limit=100&status=sold'),
    () => send(`/${1 + Math.floor(Math.random() * 100)}`),
    () => send('?limit=0'),
    () => send('', { method: 'POST', body: '{'.repeat(200_000) }),
    () => send('', { headers: { authorization: `Bearer ${randomUUID()}` } }),
    () => send('', { signal: AbortSignal.timeout(1) }),
  ];
  const lane = async () => {
    while (Date.now() < end) {
      await actions[Math.floor(Math.random() * actions.length)]();
      await sleep(50);
    }
  };
  const samples = [];
  const sample = async () => {
    while (Date.now() < end) {
      const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
      samples.push({ megabytes: Number(kilobytes) / 1024, files: readdirSync(`/proc/${child.pid}/fd`).length });
      await sleep(soakMinutes * 500);
    }
  };
  await Promise.all([sample(), ...Array.from({ length: 16 }, lane)]);
  const quarter = (index, name) =>
    median(samples.slice((index * samples.length) / 4, ((index + 1) * samples.length) / 4).map((each) => each[name]));
  check('memory of the last quarter, of the second', quarter(3, 'megabytes') / quarter(1, 'megabytes'), { max: 1.1 });
  check('open files of the last quarter, more than in the second', quarter(3, 'files') - quarter(1, 'files'), {
    max: 8,
  });
  let lostCount = 0;
  for (const id of acknowledged) {
    let status;
    // Repeats a request that met a fault.
    while (status !== 200 && status !== 404) ({ status } = await send(`/${id}`));
    if (status === 404) lostCount += 1;
  }
  console.log(`${acknowledged.size} pets were acknowledged`);
  check('acknowledged pets that are missing', lostCount, { max: 0 });
}

try {
  await (isSoak ? soak() : comparePeers());
} finally {
  for (const child of running) child.kill('SIGKILL');
  for (const stop of stopClusters) stop();
  rmSync(directory, { recursive: true, force: true });
}
