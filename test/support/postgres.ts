import { execFile } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { execa } from 'execa';
import { expect, inject, onTestFinished } from 'vitest';
import { findProgram } from './programs.js';
import { openVirtualAddress } from './proxy.js';
import { isListening } from './raw-client.js';

const execute = promisify(execFile);

const initdb = findProgram('initdb', ...debianFolders('/usr/lib/postgresql'));

/** The folder of PostgreSQL's programs, from PATH or Debian's location; undefined if they are missing. */
export const programs = initdb && dirname(realpathSync(initdb));

/** A private PostgreSQL server that listens on a socket in its folder. */
export interface Cluster {
  readonly folder: string;
  /** Returns the URL of a database. */
  address(user?: string, password?: string): string;
  /** Requires a password from all other users. */
  demandPasswords(): Promise<void>;
  /** Appends lines of `postgresql.conf`, which the next start reads. */
  writeSettings(settings: readonly string[]): void;
  /** Appends lines of `postgresql.conf`, which the running server reads. */
  configure(settings: readonly string[]): Promise<void>;
  /** Replaces the rules of `pg_hba.conf`. */
  setAccess(rules: readonly string[]): Promise<void>;
  /** Runs one statement, and resolves to its rows. */
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  start(): Promise<void>;
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Kills the server as a power cut would. */
  kill(): void;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
}

/** Starts a server that stops with the test and syncs commits to disk. Settings are lines of `postgresql.conf`. */
export async function startCluster(settings: readonly string[] = []): Promise<Cluster> {
  const cluster = clusterIn(await mkdtemp(join(tmpdir(), 'petstore-postgres-')));
  onTestFinished(() => endCluster(cluster.folder), 60_000);
  await makeCluster(cluster, settings);
  return cluster;
}

/** Starts a standby that replicates the cluster and stops with the test. Returns it once it has every change. */
export async function startStandby(primary: Cluster): Promise<Cluster> {
  const standby = clusterIn(await mkdtemp(join(tmpdir(), 'petstore-standby-')));
  const { folder } = standby;
  onTestFinished(() => endCluster(folder), 60_000);
  setUnprivilegedOwner(folder);
  const source = [`--host=${primary.folder}`, '--username=petstore', '--checkpoint=fast', '--no-sync'];
  await unprivileged('pg_basebackup', [...source, '--write-recovery-conf', `--pgdata=${join(folder, 'data')}`]);
  standby.writeSettings([`unix_socket_directories='${folder}'`]);
  await standby.start();
  const readState = async () => (await primary.query('SELECT state FROM pg_stat_replication'))[0]?.state;
  await expect.poll(readState, { timeout: 30_000 }).toBe('streaming');
  return standby;
}

/** Returns the URL of a new, empty schema in the shared server of this run, which starts on first use. */
export async function newPostgres(): Promise<string> {
  const cluster = clusterIn(inject('postgres'));
  await startOnce(cluster);
  const schema = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  await cluster.query(`CREATE SCHEMA ${schema}`);
  return `${cluster.address()}&options=-csearch_path%3D${schema}`;
}

/** Stops a server that was started, and removes its folder. */
export async function endCluster(folder: string): Promise<void> {
  await clusterIn(folder)
    .stop('immediate')
    .catch(() => {});
  await rm(folder, { recursive: true, force: true });
}

/** Disables syncing, since the data is deleted after the run. */
const fleeting = ['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0'];

async function startOnce(cluster: Cluster): Promise<void> {
  const ready = join(cluster.folder, 'ready');
  try {
    mkdirSync(join(cluster.folder, 'starting'));
  } catch {
    for (;;) {
      const isReady = await access(ready).then(
        () => true,
        () => false,
      );
      if (isReady) return;
      await sleep(50);
    }
  }
  await makeCluster(cluster, fleeting);
  writeFileSync(ready, '');
}

async function makeCluster(cluster: Cluster, settings: readonly string[]): Promise<void> {
  const { folder } = cluster;
  setUnprivilegedOwner(folder);
  const data = join(folder, 'data');
  const flags = ['--username=petstore', '--auth=trust', '--encoding=UTF8', '--locale=C'];
  await unprivileged('initdb', ['--no-sync', '--no-instructions', ...flags, `--pgdata=${data}`]);
  const all = [`unix_socket_directories='${folder}'`, "listen_addresses=''", ...common, ...settings];
  writeFileSync(join(data, 'postgresql.auto.conf'), `${all.join('\n')}\n`);
  await cluster.start();
}

const common = ['max_connections=200', 'shared_buffers=64MB'];

function clusterIn(folder: string): Cluster {
  const data = join(folder, 'data');
  const control = (...words: readonly string[]) =>
    unprivileged('pg_ctl', [...words, '--silent', '--wait', `--pgdata=${data}`]);
  const address = (user = 'petstore', password?: string) => {
    const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`;
    return `postgres://${user}${secret}@/postgres?host=${folder}`;
  };
  const writeSettings = (settings: readonly string[]) =>
    appendFileSync(join(data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  const setAccess = (rules: readonly string[]) => {
    writeFileSync(join(data, 'pg_hba.conf'), `${rules.join('\n')}\n`);
    return control('reload');
  };
  return {
    folder,
    address,
    demandPasswords: () => setAccess(['local all petstore trust', 'local all all scram-sha-256']),
    writeSettings,
    configure: (settings) => {
      writeSettings(settings);
      return control('reload');
    },
    setAccess,
    query: async (text) => {
      const { Client } = await import('pg');
      const client = new Client(address());
      await client.connect();
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    },
    start: () => control('start', `--log=${join(folder, 'log')}`),
    stop: (mode) => control('stop', `--mode=${mode}`),
    kill: () => {
      const [pid] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
    },
    promote: () => control('promote'),
  };
}

/** PostgreSQL and PgBouncer refuse to run as root. */
const nobody = 65_534;

async function unprivileged(program: string, words: readonly string[]): Promise<void> {
  const [file = '', ...rest] = unprivilegedCommand(join(programs ?? '', program), words);
  await execute(file, rest, { cwd: tmpdir(), env: { PATH: process.env.PATH, LC_ALL: 'C' } });
}

/** Returns a command that runs the program as another user if this one is root. */
function unprivilegedCommand(path: string, words: readonly string[]): readonly string[] {
  const prefix =
    process.getuid?.() === 0 ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];
  return [...prefix, path, ...words];
}

/** Gives a folder to the user of `unprivilegedCommand`. */
export function setUnprivilegedOwner(folder: string): void {
  if (process.getuid?.() === 0) chownSync(folder, nobody, nobody);
}

function debianFolders(root: string): readonly string[] {
  try {
    const versions = readdirSync(root).sort((one, other) => Number(other) - Number(one));
    return versions.map((version) => join(root, version, 'bin'));
  } catch {
    return [];
  }
}

/** Opens a TCP port of the cluster, through a network that can lose or close its connections. */
export async function openPostgresNetwork(cluster: Cluster) {
  const { port, switchTo, ...network } = await openVirtualAddress(socketOf(cluster));
  return {
    ...network,
    url: `postgres://petstore@127.0.0.1:${port}/postgres`,
    /** Forwards new connections to another cluster. Existing connections stay. */
    switchTo: (other: Cluster) => switchTo(socketOf(other)),
  };
}

function socketOf({ folder }: Cluster) {
  return { path: join(folder, '.s.PGSQL.5432') };
}

/** The path of PgBouncer, from PATH or Debian's location; undefined if it is missing. */
export const pgbouncer = findProgram('pgbouncer', '/usr/sbin');

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
