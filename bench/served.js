import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const petstore = join(import.meta.dirname, '../bin/petstore.js');

/** The store on loopback, with limits that no benchmark reaches; `env` is what a client needs, and no more. */
export async function serve(home, database = ':memory:', ...flags) {
  // Nothing that makes Node.js itself slower, such as NODE_EXTRA_CA_CERTS.
  const bare = { PATH: process.env.PATH, HOME: home };
  const limits = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000'];
  const place = ['--port', '0', '--database', database, '--json', '--quiet'];
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

/** The path of a script that gets the list with node:http and prints it, and does nothing else. */
export function bareGet(directory) {
  const path = join(directory, 'get.cjs');
  writeFileSync(
    path,
    `const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key } = process.env;
    require('node:http').get(base + '/pets', { headers: { authorization: 'Bearer ' + key } }, (answer) => {
      if (answer.statusCode !== 200) throw new Error(String(answer.statusCode));
      answer.setEncoding('utf8');
      let text = '';
      answer.on('data', (chunk) => { text += chunk; });
      answer.on('end', () => process.stdout.write(text));
    });`,
  );
  return path;
}

/** Milliseconds that a program takes from its start to its end. Throws where it fails. */
export function timeOf(program, args, env) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(program, args, { env });
  const time = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return time;
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
