// A Redis of the bench's own on loopback, which keeps nothing on disk.
import { spawn } from 'node:child_process';

/** Starts it in the folder; resolves to its address and its process, or to nothing where there is no redis-server. */
export async function startRedis(directory) {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory];
  const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'ignore'] });
  const isThere = await new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
  if (!isThere) return undefined;
  let text = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes('Ready to accept connections')) break;
  }
  child.stdout.resume();
  return { address: `redis://127.0.0.1:${port}`, child };
}
