// Compares the duration of a whole command with the quota state in Redis and with the quota state on disk, on loopback. Each round
// measures both, so that a slow moment of the machine affects both. Needs redis-server. `node bench/redis.js [rounds]`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from './redis-server.js';
import { measureRun, median, petstore, serve } from './served.js';

const rounds = Number(process.argv[2] ?? 31);
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const running = [];

try {
  const redis = await startRedis(directory);
  if (!redis) throw new Error('redis-server is missing');
  running.push(redis.child);
  const { child, env } = await serve(directory, join(directory, 'sqlite.db'));
  running.push(child);
  const shared = { ...env, PETSTORE_QUOTA_STORE: redis.address };
  const list = [petstore, 'pets', 'list', '--limit', '1', '--json', '-q'];
  const times = { local: [], shared: [] };
  for (let round = -3; round < rounds; round += 1) {
    const [local, remote] = [env, shared].map((each) => measureRun(process.execPath, list, each));
    // The first rounds warm up caches.
    if (round >= 0) times.local.push(local);
    if (round >= 0) times.shared.push(remote);
  }
  const [local, remote] = [median(times.local), median(times.shared)];
  console.log(`pets list --json, quota state in Redis to quota state on disk: ${(remote / local).toFixed(2)}`);
  console.log(`  ${remote.toFixed(0)} ms to ${local.toFixed(0)} ms`);
} finally {
  for (const child of running) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
