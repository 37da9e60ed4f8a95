// Compares the throughput of `petstore serve`, json-server and Prism with the same pets. Each round loads every server,
// so that a slow moment of the machine affects all of them. Installs the peers into node_modules/.cache on first use.
// `node bench/load.js [rounds] [seconds]`
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { median, serve } from './served.js';

const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 4);
const connections = 20;
const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules/.cache/peers');
const peers = ['autocannon@8.0.0', 'json-server@0.17.4', '@stoplight/prism-cli@5.14.2'];
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const running = [];

if (!existsSync(join(cache, 'node_modules/autocannon'))) {
  const flags = ['--no-save', '--no-audit', '--no-fund', '--prefix', cache];
  execFileSync('npm', ['install', ...flags, ...peers], { stdio: 'inherit' });
}
const autocannon = createRequire(join(cache, 'x.js'))('autocannon');
const bin = (name) => join(cache, 'node_modules/.bin', name);

function start(command, args) {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, HOME: directory },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  return child;
}

async function waitForResponse(url, headers) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const response = await fetch(url, { headers }).catch(() => undefined);
    if (response?.ok) return response.json();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not respond`);
}

async function startPetstore() {
  const { child, url, authorization } = await serve(directory, join(directory, 'store.db'));
  running.push(child);
  return { name: 'petstore serve', child, headers: { authorization }, url, query: '?limit=20' };
}

async function startJsonServer(pets) {
  writeFileSync(join(directory, 'db.json'), JSON.stringify({ pets }));
  const args = ['--port', '4801', '--quiet', join(directory, 'db.json')];
  const child = start(bin('json-server'), args);
  return { name: 'json-server', child, url: 'http://127.0.0.1:4801/pets', query: '?_limit=20' };
}

async function startPrism(pets) {
  const spec = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'));
  const list = spec.paths['/pets'].get.responses['200'].content['application/json'];
  list.example = pets.slice(0, 20);
  writeFileSync(join(directory, 'openapi.yaml'), stringify(spec));
  const args = ['mock', '--port', '4802', '--verboseLevel', 'silent'];
  const child = start(bin('prism'), [...args, join(directory, 'openapi.yaml')]);
  const headers = { authorization: 'Bearer pets_x' };
  return { name: 'Prism', child, headers, url: 'http://127.0.0.1:4802/pets', query: '?limit=20' };
}

function load(url, headers, options = {}) {
  return autocannon({ url, headers, connections, duration: seconds, ...options });
}

function peakMegabytes({ pid }) {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

try {
  const petstore = await startPetstore();
  const pets = await waitForResponse(`${petstore.url}?limit=100`, petstore.headers);
  const servers = [petstore, await startJsonServer(pets), await startPrism(pets)];
  for (const { url, query, headers } of servers) await waitForResponse(url + query, headers);
  const results = new Map(servers.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, url, query, headers } of servers) {
      const { requests, latency, non2xx, errors } = await load(url + query, headers);
      if (non2xx + errors > 0) throw new Error(`${name}: ${non2xx} rejected, ${errors} failed`);
      results.get(name).push({ rate: requests.average, p50: latency.p50, p99: latency.p99 });
    }
  }
  console.log(`Node ${process.versions.node}, GET /pets?limit=20, ${connections} connections,`);
  console.log(`median of ${rounds} rounds of ${seconds} s\n`);
  const of = (name, key) => median(results.get(name).map((result) => result[key]));
  for (const { name, child } of servers) {
    const ratio = of(petstore.name, 'rate') / of(name, 'rate');
    console.log(
      `${name.padEnd(16)} ${of(name, 'rate').toFixed(0).padStart(6)} requests/s` +
        `  p50 ${of(name, 'p50')} ms  p99 ${of(name, 'p99')} ms  ${peakMegabytes(child)} MB at most` +
        `  petstore is ${ratio.toFixed(2)} times as fast`,
    );
  }
  const body = JSON.stringify({ name: 'Rex', categoryId: 7 });
  const headers = { ...petstore.headers, 'content-type': 'application/json' };
  const added = await load(petstore.url, headers, { method: 'POST', body });
  console.log(`\ncreates, each on disk before its 201: ${added.requests.average.toFixed(0)} requests/s`);
  const isFastest = servers.slice(1).every(({ name }) => of(petstore.name, 'rate') > of(name, 'rate'));
  if (!isFastest || added.non2xx > 0) process.exitCode = 1;
} finally {
  for (const child of running) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
