// Starts a Redis server without persistence for a benchmark.
import { spawn } from 'node:child_process';

/** Starts Redis in the folder and resolves to its URL and process, or to undefined if redis-server is missing. */
export async function startRedis(directory) {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory];
  const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'ignore'] });
  const hasStarted = await new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
  if (!hasStarted) return undefined;
  let text = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes('Ready to accept connections')) break;
  }
  child.stdout.resume();
  return { address: `redis://127.0.0.1:${port}`, child };
}
