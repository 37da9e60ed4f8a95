// How fast petstore import adds pets beside a bare undici loop with as many requests at once on connections that
// are kept alive, measured in one run: the two take turns, so that a slow moment of the machine meets both.
// Exit 1 where the import reaches less than 80 % of the loop. `node bench/import.js [rounds] [rows] [concurrency]`
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { median, petstore, serve } from './served.js';

const rounds = Number(process.argv[2] ?? 5);
const rows = Number(process.argv[3] ?? 15_000);
const concurrency = Number(process.argv[4] ?? 8);
const least = 0.8;
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const started = [];

/** Adds so many pets with nothing but undici; resolves to how many a second. */
async function loop({ url, authorization }) {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: concurrency, pipelining: 1 });
  const headers = { authorization, 'content-type': 'application/json' };
  let left = rows;
  const begin = performance.now();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      const body = JSON.stringify({ name: `Rex ${left}`, categoryId: 7 });
      const answer = await pool.request({ path, method: 'POST', headers, body });
      await answer.body.json();
      if (answer.statusCode !== 201) throw new Error(`the store answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const rate = rows / ((performance.now() - begin) / 1000);
  await pool.close();
  return rate;
}

/** The same by an import: what its summary tells, and what its process took from start to end. */
async function importRows({ env }, round) {
  const file = join(directory, `${round}.csv`);
  const lines = Array.from({ length: rows }, (_, row) => `Rex ${round} ${row},7\n`);
  writeFileSync(file, `name,categoryId\n${lines.join('')}`);
  const begin = performance.now();
  const flags = ['--concurrency', String(concurrency), '--json'];
  const child = spawn(process.execPath, [petstore, 'pets', 'import', file, ...flags], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let text = '';
  let trouble = '';
  child.stderr.on('data', (chunk) => {
    trouble += chunk;
  });
  for await (const chunk of child.stdout) text += chunk;
  const seconds = (performance.now() - begin) / 1000;
  const summary = text && JSON.parse(text);
  if (summary?.added !== rows) throw new Error(`the import failed: ${text}${trouble}`);
  return { rate: summary.rowsPerSecond, whole: rows / seconds };
}

try {
  const store = await serve(directory, join(directory, 'store.db'));
  started.push(store.child);
  // What both find warm afterwards.
  await loop(store);
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = await loop(store);
    const imported = await importRows(store, round);
    const bare = (first + (await loop(store))) / 2;
    results.push({ ...imported, bare });
  }
  const of = (key) => median(results.map((result) => result[key]));
  console.log(`Node ${process.versions.node}, ${rows} rows, ${concurrency} requests at once,`);
  console.log(`median of ${rounds} rounds\n`);
  console.log(`undici alone     ${of('bare').toFixed(0).padStart(6)} rows/s`);
  console.log(`petstore import  ${of('rate').toFixed(0).padStart(6)} rows/s`);
  console.log(`  from its start ${of('whole').toFixed(0).padStart(6)} rows/s, the check included`);
  const ratio = of('rate') / of('bare');
  console.log(`\nthe import reaches ${(ratio * 100).toFixed(0)} % (at least ${least * 100} %)`);
  if (ratio < least) process.exitCode = 1;
} finally {
  for (const child of started) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
