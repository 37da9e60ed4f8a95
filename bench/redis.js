// What Redis costs, on loopback: a ledger there beside the one on disk, by the time of a whole command, and limits
// there beside those in SQLite, by the requests per second of one `petstore serve`. Each round measures both, so that
// a slow moment of the machine meets both. Needs redis-server. `node bench/redis.js [rounds] [seconds]`
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from './redis-server.js';
import { median, petstore, serve, timeOf } from './served.js';

const [rounds = 31, seconds = 3] = process.argv.slice(2).map(Number);
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const running = [];

/** Requests per second over twenty connections. */
async function rateOf({ url, authorization }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const options = { agent, headers: { authorization } };
  const ask = () =>
    new Promise((resolve, reject) => {
      get(`${url}?limit=1`, options, (answer) => {
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
  const redis = await startRedis(directory);
  if (!redis) throw new Error('redis-server is missing');
  running.push(redis.child);
  const inSqlite = await serve(directory, join(directory, 'sqlite.db'));
  running.push(inSqlite.child);
  const inRedis = await serve(directory, join(directory, 'redis.db'), '--limits', redis.address);
  running.push(inRedis.child);
  const { env } = inSqlite;
  const shared = { ...env, PETSTORE_LEDGER: redis.address };
  const list = [petstore, 'pets', 'list', '--limit', '1', '--json', '-q'];
  const times = { local: [], shared: [] };
  for (let round = -3; round < rounds; round += 1) {
    const [local, remote] = [env, shared].map((each) => timeOf(process.execPath, list, each));
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
