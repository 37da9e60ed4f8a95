import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const petstore = join(import.meta.dirname, '../bin/petstore.js');

/** Starts `petstore serve` with limits that no benchmark reaches; `env` is the environment of a client. */
export async function serve(home, database = ':memory:', ...flags) {
  // Omits variables that make Node.js slower, such as NODE_EXTRA_CA_CERTS.
  const bare = { PATH: process.env.PATH, HOME: home };
  const limits = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000'];
  const place = ['--port', '0', '--database', database, '--json', '--quiet', '--trust-proxy', '127.0.0.1'];
  const child = spawn(process.execPath, [petstore, 'serve', ...place, ...limits, ...flags], {
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

/** Writes a script that prints the list with node:http only, and returns its path. */
export function writeBareGet(directory) {
  const path = join(directory, 'get.cjs');
  writeFileSync(
    path,
    `const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key } = process.env;
    require('node:http').get(base + '/pets', { headers: { authorization: 'Bearer ' + key } }, (response) => {
      if (response.statusCode !== 200) throw new Error(String(response.statusCode));
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (chunk) => { text += chunk; });
      response.on('end', () => process.stdout.write(text));
    });`,
  );
  return path;
}

/** Runs a program and returns its duration in milliseconds. Throws if it fails. */
export function measureRun(program, args, env) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(program, args, { env });
  const time = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return time;
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
