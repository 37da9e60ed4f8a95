// What Redis costs, on loopback: a ledger there beside the one on disk, by the time of a whole command, and limits
// there beside those in SQLite, by the requests per second of one `petstore serve`. Each round measures both, so that
// a slow moment of the machine meets both. Needs redis-server. `node bench/redis.js [rounds] [seconds]`
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, petstore } from './served.js';

const [rounds = 31, seconds = 3] = process.argv.slice(2).map(Number);
const port = 20_000 + (process.pid % 10_000);
const redis = `redis://127.0.0.1:${port}`;
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const bare = { PATH: process.env.PATH, HOME: directory };
const running = [];

async function outputOf(command, args, end) {
  const child = spawn(command, args, { env: bare, stdio: ['ignore', 'pipe', 'ignore'] });
  running.push(child);
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes(end)) break;
  }
  child.stdout.resume();
  return text;
}

async function serve(name, ...args) {
  const plan = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000'];
  const place = ['--port', '0', '--database', join(directory, `${name}.db`), '--json', '--quiet'];
  const text = await outputOf(
    process.execPath,
    [petstore, 'serve', ...place, ...plan, ...args],
    '}\n',
  );
  const { baseUrl, apiKey } = JSON.parse(text);
  return { name, url: `${baseUrl}/pets?limit=1`, baseUrl, apiKey };
}

function timeOf(env) {
  const begin = performance.now();
  const args = [petstore, 'pets', 'list', '--limit', '1', '--json', '-q'];
  const { status } = spawnSync(process.execPath, args, { env: { ...bare, ...env } });
  if (status !== 0) throw new Error(`petstore ended with ${status}`);
  return performance.now() - begin;
}

/** Requests per second over twenty connections. */
async function rateOf({ url, apiKey }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const options = { agent, headers: { authorization: `Bearer ${apiKey}` } };
  const ask = () =>
    new Promise((resolve, reject) => {
      get(url, options, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(String(answer.statusCode)));
        answer.resume().on('end', resolve);
      }).on('error', reject);
    });
  let answered = 0;
  const end = performance.now() + seconds * 1_000;
  const lane = async () => {
    while (performance.now() < end) {
      await ask();
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: 20 }, lane));
  agent.destroy();
  return answered / seconds;
}

try {
  const ready = 'Ready to accept connections';
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory];
  await outputOf('redis-server', flags, ready);
  const inSqlite = await serve('sqlite');
  const inRedis = await serve('redis', '--limits', redis);
  const env = { PETSTORE_BASE_URL: inSqlite.baseUrl, PETSTORE_API_KEY: inSqlite.apiKey };
  const shared = { ...env, PETSTORE_LEDGER: redis };
  const times = { local: [], shared: [] };
  for (let round = -3; round < rounds; round += 1) {
    const [local, remote] = [timeOf(env), timeOf(shared)];
    // The first ones fill caches.
    if (round >= 0) times.local.push(local);
    if (round >= 0) times.shared.push(remote);
  }
  const [local, remote] = [median(times.local), median(times.shared)];
  console.log(
    `pets list --json, ledger in Redis to ledger on disk: ${(remote / local).toFixed(2)}`,
  );
  console.log(`  ${remote.toFixed(0)} ms to ${local.toFixed(0)} ms`);
  const rates = { sqlite: [], redis: [] };
  for (let round = 0; round < 3; round += 1) {
    rates.sqlite.push(await rateOf(inSqlite));
    rates.redis.push(await rateOf(inRedis));
  }
  const [sqlite, lua] = [median(rates.sqlite), median(rates.redis)];
  console.log(`serve, limits in Redis to limits in SQLite: ${(lua / sqlite).toFixed(2)}`);
  console.log(`  ${lua.toFixed(0)} to ${sqlite.toFixed(0)} requests a second`);
} finally {
  for (const child of running) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
