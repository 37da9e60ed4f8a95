import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import { isListening } from './is-listening.js';
import { type Cluster, isProgram, setUnprivilegedOwner, unprivilegedCommand } from './postgres.js';

/** The path of PgBouncer, from PATH or Debian's location; undefined if it is missing. */
export const pgbouncer = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find(isProgram);

/** Starts a PgBouncer that ends with the test, and returns the URL of the cluster's database behind it. */
export async function startPgBouncer(
  cluster: Cluster,
  mode: 'session' | 'transaction',
  poolSize: number,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-pgbouncer-'));
  setUnprivilegedOwner(folder);
  const settings = [
    '[databases]',
    `* = host=${cluster.folder}`,
    '[pgbouncer]',
    `pool_mode = ${mode}`,
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 500',
    'auth_type = trust',
    `auth_file = ${folder}/users`,
    `unix_socket_dir = ${folder}`,
    `listen_port = ${port}`,
    // The pause after a failed connection, by default 15 seconds.
    'server_login_retry = 1',
  ];
  await writeFile(join(folder, 'users'), '"petstore" ""\n');
  await writeFile(join(folder, 'pgbouncer.ini'), `${settings.join('\n')}\n`);
  const [file = '', ...words] = unprivilegedCommand(pgbouncer ?? '', ['-q', join(folder, 'pgbouncer.ini')]);
  const child = execa(file, words, { reject: false, stdio: 'ignore' });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await child;
    await rm(folder, { recursive: true, force: true });
  });
  const socket = join(folder, `.s.PGSQL.${port}`);
  await expect.poll(() => isListening({ path: socket })).toBe(true);
  return `postgres://petstore@/postgres?host=${folder}&port=${port}`;
}

/** Only part of the name of a socket. */
const port = 6432;
