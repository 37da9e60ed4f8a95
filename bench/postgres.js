// Starts a PostgreSQL server for a benchmark in a private folder with a Unix socket, or uses the one at
// PETSTORE_BENCH_POSTGRES. It keeps the default, synchronous commits.
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const isRoot = process.getuid?.() === 0;
const unprivilegedUser = 65_534;

/** Starts PostgreSQL in the folder and returns its URL and a function that stops it. */
export function startPostgres(directory) {
  if (process.env.PETSTORE_BENCH_POSTGRES) {
    return { address: process.env.PETSTORE_BENCH_POSTGRES, stop: () => {} };
  }
  const folder = join(directory, 'postgres');
  const data = join(folder, 'data');
  mkdirSync(folder);
  if (isRoot) {
    chownSync(directory, unprivilegedUser, unprivilegedUser);
    chownSync(folder, unprivilegedUser, unprivilegedUser);
  }
  const flags = ['--username=petstore', '--auth=trust', '--encoding=UTF8', '--locale=C'];
  run('initdb', ['--no-instructions', ...flags, `--pgdata=${data}`]);
  const settings = [`unix_socket_directories='${folder}'`, "listen_addresses=''"];
  writeFileSync(join(data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  const control = ['--silent', '--wait', `--pgdata=${data}`];
  run('pg_ctl', ['start', ...control, `--log=${join(folder, 'log')}`]);
  return {
    address: `postgres://petstore@/postgres?host=${folder}`,
    stop: () => run('pg_ctl', ['stop', '--mode=immediate', ...control]),
  };
}

function run(program, args) {
  const prefix = isRoot
    ? ['setpriv', `--reuid=${unprivilegedUser}`, `--regid=${unprivilegedUser}`, '--clear-groups']
    : [];
  const [file, ...rest] = [...prefix, join(findPrograms(), program), ...args];
  const { status, error } = spawnSync(file, rest, {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw error ?? new Error(`${program} ended with ${status}`);
}

function findPrograms() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(root, version, 'bin')),
  ];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')));
  if (!found) throw new Error('the programs of PostgreSQL are missing');
  return found;
}
