// Measures how the server slows down with the number of pets, on SQLite and PostgreSQL: first the duration of a request
// without HTTP in databases of growing size, then the requests per second of one and two `serve` processes on one
// database. Exits with 1 if the largest database takes twice as long as the smallest.
// `node bench/store.js [sizes, separated by commas] [rounds] [seconds per rate]`
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
/** Rounds until code is compiled and caches are warm. */
const warmUpRounds = 300;
const maxRatio = 2;
const seconds = Number(process.argv[4] ?? 5);
const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const clock = { now: Date.now, sleep: (ms) => new Promise((wake) => setTimeout(wake, ms)) };
const keys = Array.from({ length: 64 }, (_, index) => `pets_bench_${index}_0123456789abcdefghijklmnop`);
const limits = { perMinute: 1e12, perDay: 1e12 };
const nodeVersion = process.versions.node;
const started = [];

/** Bundles the request handler of the server and imports it. */
async function loadServer() {
  const exports = ['open-database', 'request-handler', 'responses', 'routes', 'api-keys'];
  const source = exports.map((name) => `export * from '${root}/src/server/${name}.ts';`);
  const entry = 'server';
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: ['pg', '@photostructure/sqlite'],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? `${root}/bench/server.js` : null),
        load: (id) => {
          if (id.endsWith('.yaml')) return { code: "export default ''", moduleType: 'js' };
          return id === `${root}/bench/server.js` ? source.join('\n') : null;
        },
      },
    ],
  });
  // Within node_modules, so that the bundle finds its packages.
  const folder = join(root, 'node_modules/.cache/petstore-bench');
  mkdirSync(folder, { recursive: true });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: 'server.mjs' });
  return import(pathToFileURL(join(folder, 'server.mjs')).href);
}

const server = await loadServer();

/** Builds a statement from a template: values become parameters. */
function sql(text, ...values) {
  return {
    text: text.reduce((before, piece, index) => `${before}:p${index - 1}${piece}`),
    values: Object.fromEntries(values.map((value, index) => [`p${index}`, value])),
  };
}

/** Adds pets up to a number: one of ten thousand is sold, the others are available, pending or without a status. */
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

/** Requests by the largest id. */
const requests = {
  'first page': () => ['GET', '/v1/pets'],
  'last page': (largest) => ['GET', `/v1/pets?cursor=${cursorAt(largest - 20n)}`],
  'rare status': () => ['GET', '/v1/pets?status=sold'],
  'common status, last': (largest) => ['GET', `/v1/pets?status=available&cursor=${cursorAt(largest - 100n)}`],
  'one pet': (largest) => ['GET', `/v1/pets/${largest / 2n}`],
  add: () => ['POST', '/v1/pets', '{"name":"Rex","categoryId":1,"status":"pending"}'],
};

function cursorAt(id) {
  return Buffer.from(String(id)).toString('base64url');
}

async function send(handle, [method, target, body]) {
  const headers = { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' };
  const bytes = body && new TextEncoder().encode(body);
  const request = { method, origin: '', target, headers, ...(bytes && { body: bytes }) };
  const { status } = await handle(server.openContext(request, '127.0.0.1'));
  if (status >= 300) throw new Error(`${method} ${target} returned ${status}`);
}

/** Resolves to the median milliseconds of each request. The databases of all sizes take turns. */
async function measure(pathOf, settle) {
  const databases = [];
  for (const size of sizes) {
    const path = await pathOf(size);
    const database = await server.openDatabase({ path, clock, nodeVersion });
    for (const key of keys) await server.addApiKey(database, key, { limits }, clock.now());
    const [{ pets }] = await database.read(sql`SELECT count(*) AS pets FROM pets`);
    await fill(database, Number(pets), size);
    const [{ largest }] = await database.read(sql`SELECT max(id) AS largest FROM pets`);
    const onError = console.error;
    const handle = server.completeResponses(server.createRequestHandler({ database, clock, onError }), onError);
    databases.push({ database, handle, largest });
  }
  await settle();
  const names = Object.keys(requests);
  const times = Object.fromEntries(names.map((name) => [name, sizes.map(() => [])]));
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const [index, { handle, largest }] of databases.entries()) {
      for (const name of names) {
        const start = performance.now();
        await send(handle, requests[name](largest));
        if (round >= 0) times[name][index].push(performance.now() - start);
      }
    }
  }
  for (const { database } of databases) await database.close();
  return Object.fromEntries(names.map((name) => [name, times[name].map(median)]));
}

function print(title, results) {
  const cells = [...sizes.map((size) => size.toLocaleString('en')), 'ratio'];
  console.log(`\n${title.padEnd(20)}${cells.map((cell) => cell.padStart(12)).join('')}`);
  for (const [name, times] of Object.entries(results)) {
    const ratio = times.at(-1) / times[0];
    if (ratio >= maxRatio) process.exitCode = 1;
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

/** Resolves to the total requests per second of the servers, with 16 connections each. */
async function measureRate(origins, usedKeys, method, path, body) {
  const pools = origins.map((origin) => new Pool(origin, { connections: 16, pipelining: 1 }));
  const end = performance.now() + seconds * 1000;
  let sent = 0;
  let completed = 0;
  const lane = async (pool) => {
    while (performance.now() < end) {
      const key = usedKeys[sent % usedKeys.length];
      sent += 1;
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const response = await pool.request({ method, path, headers, body });
      await response.body.dump();
      if (response.statusCode >= 300) throw new Error(`the server returned ${response.statusCode}`);
      completed += 1;
    }
  };
  await Promise.all(pools.flatMap((pool) => Array.from({ length: 16 }, () => lane(pool))));
  await Promise.all(pools.map((pool) => pool.close()));
  return completed / seconds;
}

async function printRates(title, origins) {
  console.log(`\n${title.padEnd(22)}${'1 process'.padStart(12)}${'2'.padStart(12)}`);
  for (const [name, ...request] of [
    ['first page', keys, 'GET', '/v1/pets'],
    ['add', keys, 'POST', '/v1/pets', '{"name":"Rex","categoryId":1}'],
    ['first page, one key', keys.slice(0, 1), 'GET', '/v1/pets'],
  ]) {
    // Warms up code and connections.
    await measureRate(origins, ...request);
    const one = await measureRate(origins.slice(0, 1), ...request);
    const rates = [one, await measureRate(origins, ...request)];
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
  await printRates('SQLite, per s', [await startServe(file), await startServe(file)]);
  postgres = startPostgres(directory);
  const { address } = postgres;
  // Runs the maintenance after many inserts before the measurement.
  const settle = () => inPostgres(address, 'VACUUM ANALYZE', 'CHECKPOINT');
  print('PostgreSQL', await measure((size) => newSchema(address, size), settle));
  const used = schemaOf(address, sizes.at(-1));
  await printRates('PostgreSQL, per s', [await startServe(used), await startServe(used)]);
} finally {
  for (const child of started) child.kill('SIGKILL');
  postgres?.stop();
  rmSync(directory, { recursive: true, force: true });
}
