// Whether the store slows down with the number of its pets, on SQLite and on PostgreSQL: the time of one request,
// counted and answered as ever but without HTTP, in stores of growing size; then how many requests a second one and
// two `serve` processes on one database answer. Exit 1 where the largest store takes twice as long as the smallest.
// `node bench/store.js [sizes, with commas between] [rounds] [seconds of each rate]`
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { rolldown } from 'rolldown';
import { Pool } from 'undici';
import { startPostgres } from './postgres.js';
import { median, serve } from './served.js';

const sizes = (process.argv[2] ?? '10000,100000,1000000,10000000').split(',').map(Number);
const rounds = Number(process.argv[3] ?? 400);
// Until code is compiled and caches are warm.
const warmUp = 300;
const mostTimes = 2;
const seconds = Number(process.argv[4] ?? 5);
const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const clock = { now: Date.now, sleep: (ms) => new Promise((wake) => setTimeout(wake, ms)) };
const keys = Array.from(
  { length: 64 },
  (_, index) => `pets_bench_${index}_0123456789abcdefghijklmnop`,
);
const limits = { perMinute: 1e12, perDay: 1e12 };
const nodeVersion = process.versions.node;
const started = [];

/** The service as it is, in one file. */
async function loadService() {
  const exports = ['open-database', 'request-handler', 'api-keys', 'sql'];
  const source = exports.map((name) => `export * from '${root}/src/server/${name}.ts';`);
  const entry = 'service';
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: ['pg', '@photostructure/sqlite'],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? `${root}/bench/service.js` : null),
        load: (id) => {
          if (id.endsWith('.yaml')) return { code: "export default ''", moduleType: 'js' };
          return id === `${root}/bench/service.js` ? source.join('\n') : null;
        },
      },
    ],
  });
  // Beside the packages that it loads.
  const folder = join(root, 'node_modules/.cache/petstore-bench');
  mkdirSync(folder, { recursive: true });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: 'service.mjs' });
  return import(pathToFileURL(join(folder, 'service.mjs')).href);
}

const service = await loadService();
const { sql } = service;

/** Adds pets until there are so many: of ten thousand one is sold, the rest are available, pending or neither. */
async function fill(database, from, to) {
  const step = 40_000;
  for (let first = from; first < to; first += step) {
    const last = Math.min(first + step, to) - 1;
    await database.write(sql`
      WITH RECURSIVE numbers(n) AS (
        SELECT CAST(${first} AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last})
      INSERT INTO pets (name, category_id, status)
      SELECT 'Pet ' || n, n % 50 + 1, CASE WHEN n % 10000 = 0 THEN 'sold' WHEN n % 4 = 1 THEN 'pending'
        WHEN n % 4 = 2 THEN NULL ELSE 'available' END
      FROM numbers`);
  }
}

/** What is asked, as a function of the largest id. */
const requests = {
  'first page': () => ['GET', '/v1/pets'],
  'last page': (largest) => ['GET', `/v1/pets?cursor=${cursorAt(largest - 20n)}`],
  'rare status': () => ['GET', '/v1/pets?status=sold'],
  'common status, last': (largest) => [
    'GET',
    `/v1/pets?status=available&cursor=${cursorAt(largest - 100n)}`,
  ],
  'one pet': (largest) => ['GET', `/v1/pets/${largest / 2n}`],
  add: () => ['POST', '/v1/pets', '{"name":"Rex","categoryId":1,"status":"pending"}'],
};

function cursorAt(id) {
  return Buffer.from(String(id)).toString('base64url');
}

async function ask(handle, [method, target, body]) {
  const headers = { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' };
  const bytes = body && new TextEncoder().encode(body);
  const request = { method, origin: '', target, headers, ...(bytes && { body: bytes }) };
  const { status } = await handle(request, '127.0.0.1');
  if (status >= 300) throw new Error(`${method} ${target} was answered with ${status}`);
}

/** Milliseconds of each request, the median of many; the stores of every size take turns. */
async function measure(pathOf, settle) {
  const stores = [];
  for (const size of sizes) {
    const path = await pathOf(size);
    const database = await service.openDatabase({ path, clock, nodeVersion });
    for (const key of keys) await service.addApiKey(database, key, limits, clock.now());
    const [{ pets }] = await database.read(sql`SELECT count(*) AS pets FROM pets`);
    await fill(database, Number(pets), size);
    const [{ largest }] = await database.read(sql`SELECT max(id) AS largest FROM pets`);
    const handle = service.createRequestHandler({ database, clock, onError: console.error });
    stores.push({ database, handle, largest });
  }
  await settle();
  const names = Object.keys(requests);
  const times = Object.fromEntries(names.map((name) => [name, sizes.map(() => [])]));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [index, { handle, largest }] of stores.entries()) {
      for (const name of names) {
        const start = performance.now();
        await ask(handle, requests[name](largest));
        if (round >= 0) times[name][index].push(performance.now() - start);
      }
    }
  }
  for (const { database } of stores) await database.close();
  return Object.fromEntries(names.map((name) => [name, times[name].map(median)]));
}

function print(title, results) {
  const cells = [...sizes.map((size) => size.toLocaleString('en')), 'ratio'];
  console.log(`\n${title.padEnd(20)}${cells.map((cell) => cell.padStart(12)).join('')}`);
  for (const [name, times] of Object.entries(results)) {
    const ratio = times.at(-1) / times[0];
    if (ratio >= mostTimes) process.exitCode = 1;
    const numbers = [...times.map((time) => `${time.toFixed(2)} ms`), ratio.toFixed(2)];
    console.log(`${name.padEnd(20)}${numbers.map((cell) => cell.padStart(12)).join('')}`);
  }
}

async function newSchema(address, size) {
  await inPostgres(address, `CREATE SCHEMA of_${size}`);
  return schemaOf(address, size);
}

function schemaOf(address, size) {
  return `${address}${address.includes('?') ? '&' : '?'}options=-csearch_path%3Dof_${size}`;
}

async function inPostgres(connectionString, ...statements) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function startServe(database) {
  const { child, baseUrl } = await serve(directory, database);
  started.push(child);
  return new URL(baseUrl).origin;
}

/** Requests a second that the services answer together, each asked on 16 connections. */
async function rate(origins, usedKeys, method, path, body) {
  const pools = origins.map((origin) => new Pool(origin, { connections: 16, pipelining: 1 }));
  const end = performance.now() + seconds * 1000;
  let asked = 0;
  let answered = 0;
  const lane = async (pool) => {
    while (performance.now() < end) {
      const key = usedKeys[asked % usedKeys.length];
      asked += 1;
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answer = await pool.request({ method, path, headers, body });
      await answer.body.dump();
      if (answer.statusCode >= 300) throw new Error(`the store answered ${answer.statusCode}`);
      answered += 1;
    }
  };
  await Promise.all(pools.flatMap((pool) => Array.from({ length: 16 }, () => lane(pool))));
  await Promise.all(pools.map((pool) => pool.close()));
  return answered / seconds;
}

async function printRates(title, origins) {
  console.log(`\n${title.padEnd(22)}${'1 process'.padStart(12)}${'2'.padStart(12)}`);
  for (const [name, ...request] of [
    ['first page', keys, 'GET', '/v1/pets'],
    ['add', keys, 'POST', '/v1/pets', '{"name":"Rex","categoryId":1}'],
    ['first page, one key', keys.slice(0, 1), 'GET', '/v1/pets'],
  ]) {
    // Until code is compiled and connections are open.
    await rate(origins, ...request);
    const rates = [await rate(origins.slice(0, 1), ...request), await rate(origins, ...request)];
    const cells = rates.map((value) => value.toFixed(0).padStart(12));
    console.log(`${name.padEnd(22)}${cells.join('')}`);
  }
}

let postgres;
try {
  console.log(`Node ${process.versions.node}, median of ${rounds} requests each, one at a time`);
  print(
    'SQLite',
    await measure(
      (size) => join(directory, `${size}.db`),
      () => {},
    ),
  );
  const file = join(directory, `${sizes.at(-1)}.db`);
  await printRates('SQLite, a second', [await startServe(file), await startServe(file)]);
  postgres = startPostgres(directory);
  const { address } = postgres;
  // What PostgreSQL does by itself after so many additions is done before anything is measured.
  const settle = () => inPostgres(address, 'VACUUM ANALYZE', 'CHECKPOINT');
  print('PostgreSQL', await measure((size) => newSchema(address, size), settle));
  const used = schemaOf(address, sizes.at(-1));
  await printRates('PostgreSQL, a second', [await startServe(used), await startServe(used)]);
} finally {
  for (const child of started) child.kill('SIGKILL');
  postgres?.stop();
  rmSync(directory, { recursive: true, force: true });
}
