import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** The built program. */
export const petstore = join(import.meta.dirname, '../bin/petstore.js');

/** Starts `petstore serve` with limits that no benchmark reaches; `env` is the environment of a client. */
export async function serve(home, { database = ':memory:', program = petstore, flags = [] } = {}) {
  // Omits variables that make Node.js slower, such as NODE_EXTRA_CA_CERTS.
  const bare = { PATH: process.env.PATH, HOME: home };
  const limits = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000'];
  const place = ['--port', '0', '--database', database, '--json', '--quiet', '--trust-proxy', '127.0.0.1'];
  const child = spawn(process.execPath, [program, 'serve', ...place, ...limits, ...flags], {
    env: bare,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.endsWith('}\n')) break;
  }
  const { baseUrl, apiKey } = JSON.parse(text);
  const env = { ...bare, PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: apiKey };
  return { child, bare, env, baseUrl, url: `${baseUrl}/pets`, authorization: `Bearer ${apiKey}` };
}

/** Returns the middle value, or the upper one of the two in the middle. */
export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
