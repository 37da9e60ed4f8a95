import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import { exampleHosts, key } from './certificates.js';
import { findProgram } from './programs.js';
import { isListening } from './raw-client.js';

/** The path of nginx, from PATH or Debian's location; undefined if it is missing. */
export const nginx = findProgram('nginx', '/usr/sbin');

/** Starts an nginx that ends with the test, with `docs/deploy/nginx.conf` in front of servers on these ports. */
export async function startNginx(serverPorts: readonly [number, number]): Promise<{ readonly port: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-nginx-'));
  const port = await findPort();
  const site = replaceAll(await readFile('docs/deploy/nginx.conf', 'utf8'), [
    [':4010 ', `:${serverPorts[0]} `],
    [':4011 ', `:${serverPorts[1]} `],
    // IPv6 may be off.
    ['  listen [::]:443 ssl;\n', ''],
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    ['/etc/ssl/petstore', folder],
    ['/var/log/nginx', folder],
  ]);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const main = [
    // The unprivileged user of Debian's nginx could not read this folder.
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'worker_processes 2;',
    `pid ${folder}/pid;`,
    'daemon off;',
    'events {}',
    `http { ${paths.join(' ')} include ${folder}/site.conf; }`,
  ];
  await writeFile(join(folder, 'nginx.conf'), main.join('\n'));
  await writeFile(join(folder, 'site.conf'), site);
  await writeFile(join(folder, 'fullchain.pem'), exampleHosts);
  await writeFile(join(folder, 'privkey.pem'), key, { mode: 0o600 });
  const child = execa(nginx ?? '', ['-e', 'stderr', '-c', join(folder, 'nginx.conf')], { reject: false });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await child;
    await rm(folder, { recursive: true, force: true });
  });
  await expect
    .poll(
      () => Promise.race([isListening({ host: '127.0.0.1', port }), child.then(({ stderr }) => stderr)]),
      pollOptions,
    )
    .toBe(true);
  return { port };
}

const pollOptions = { timeout: 30_000 };

/** Returns the text with each part replaced. Fails if a part is missing: the file in the docs was changed. */
function replaceAll(text: string, replacements: readonly (readonly [part: string, by: string])[]): string {
  return replacements.reduce((before, [part, by]) => {
    expect(before).toContain(part);
    return before.replaceAll(part, by);
  }, text);
}

/**
 * Returns a port for a server that the test stops and starts again. It lies below the ports that the system gives to
 * outgoing connections, so that none of these takes it in between.
 */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
