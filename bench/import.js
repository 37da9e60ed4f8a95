// Compares the rate of `pets import` with a loop of undici requests with keep-alive. The two
// take turns, so that a slow moment of the machine affects both. Exits with 1 if the import reaches less than 40 % of
// the loop. Then prints the peak memory of larger imports (Linux only). `node bench/import.js [rounds] [rows]`
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { median, petstore, serve } from './serve.js';

const rounds = Number(process.argv[2] ?? 5);
const rows = Number(process.argv[3] ?? 15_000);
/** The number of requests that the bare loop has in flight, enough to keep the service busy. */
const concurrency = 8;
const minRatio = 0.4;
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const started = [];

/** Adds pets with undici only and resolves to the pets per second. */
async function runLoop({ url, authorization }) {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: concurrency, pipelining: 1 });
  const headers = { authorization, 'content-type': 'application/json' };
  let left = rows;
  const begin = performance.now();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      const body = JSON.stringify({ name: `Rex ${left}`, categoryId: 7 });
      const response = await pool.request({ path, method: 'POST', headers, body });
      await response.body.json();
      if (response.statusCode !== 201) throw new Error(`the server returned ${response.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const rate = rows / ((performance.now() - begin) / 1000);
  await pool.close();
  return rate;
}

/** Writes a CSV file of pets and returns its path. */
function writeCsv(name, count) {
  const file = join(directory, `${name}.csv`);
  const lines = Array.from({ length: count }, (_, row) => `Rex ${name} ${row},7\n`);
  writeFileSync(file, `name,categoryId\n${lines.join('')}`);
  return file;
}

/** Resolves to the peak memory of an import, in megabytes, after it has sent rows for three seconds. */
async function measureMemory({ env }, count) {
  const file = writeCsv(`memory ${count}`, count);
  const home = join(directory, `home ${count}`);
  const child = spawn(process.execPath, [petstore, 'pets', 'import', file], {
    env: { ...env, PETSTORE_CONFIG_DIR: home },
    stdio: 'ignore',
  });
  started.push(child);
  let peak = 0;
  let sentAt = Number.POSITIVE_INFINITY;
  while (child.exitCode === null && performance.now() < sentAt + 3_000) {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    if (sentAt > performance.now() && hasJournal(home)) sentAt = performance.now();
    await sleep(10);
  }
  child.kill('SIGKILL');
  return peak;
}

function hasJournal(home) {
  try {
    return readdirSync(join(home, 'imports')).some((name) => name.endsWith('.journal'));
  } catch {
    return false;
  }
}

/** Adds pets with `pets import` and resolves to the rate in its summary and the rate of the whole process. */
async function runImport({ env }, round) {
  const file = writeCsv(round, rows);
  const begin = performance.now();
  const child = spawn(process.execPath, [petstore, 'pets', 'import', file, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let text = '';
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  for await (const chunk of child.stdout) text += chunk;
  const seconds = (performance.now() - begin) / 1000;
  const summary = text && JSON.parse(text);
  if (summary?.added !== rows) throw new Error(`the import failed: ${text}${errors}`);
  return { rate: summary.rowsPerSecond, whole: rows / seconds };
}

try {
  const server = await serve(directory, { database: join(directory, 'store.db') });
  started.push(server.child);
  // Warms up the server for both.
  await runLoop(server);
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = await runLoop(server);
    const imported = await runImport(server, round);
    const bare = (first + (await runLoop(server))) / 2;
    results.push({ ...imported, bare });
  }
  const of = (key) => median(results.map((result) => result[key]));
  console.log(`Node ${process.versions.node}, ${rows} rows, ${concurrency} requests at once,`);
  console.log(`median of ${rounds} rounds\n`);
  console.log(`undici alone     ${of('bare').toFixed(0).padStart(6)} rows/s`);
  console.log(`petstore import  ${of('rate').toFixed(0).padStart(6)} rows/s`);
  console.log(`  from its start ${of('whole').toFixed(0).padStart(6)} rows/s, the check included`);
  const ratio = of('rate') / of('bare');
  console.log(`\nthe import reaches ${(ratio * 100).toFixed(0)} % (at least ${minRatio * 100} %)`);
  if (ratio < minRatio) process.exitCode = 1;
  if (process.platform === 'linux') {
    console.log('\npeak memory');
    for (const count of [1_000, 100_000, 1_000_000]) {
      const megabytes = await measureMemory(server, count);
      console.log(`${String(count).padStart(9)} rows ${megabytes.toFixed(0).padStart(5)} MB`);
    }
  }
} finally {
  for (const child of started) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
