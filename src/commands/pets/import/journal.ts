import {
  closeSync,
  fdatasync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../../clock.js';
import type { HeldLock, Locks } from '../../../config/lock.js';
import { Failure, usageError } from '../../../failure.js';
import {
  beginAgain,
  formatHeader,
  type Known,
  type RowState,
  readHeader,
  readJournal,
  setState,
  stateNames,
} from './journal-file.js';
import type { ReplayableInput } from './replayable-input.js';

/** The state of an import, row by row, saved on disk so that the import can be resumed. */
export interface Journal {
  readonly path: string;
  /** How many rows were sent before now. */
  readonly settled: number;
  readonly isFinished: boolean;
  stateOf(row: number): RowState;
  reasonOf(row: number): string | undefined;
  /** Resolves once it is on disk that the row is about to be sent. */
  begin(row: number): Promise<void>;
  /** The row was surely not carried out. */
  takeBack(row: number): void;
  added(row: number, id: string): void;
  rejected(row: number, reason: string): void;
  isForRejects(path: string): boolean;
  keepRejects(path: string): void;
  finish(): Promise<void>;
  close(): Promise<void>;
}

export interface JournalOptions {
  readonly path: string;
  /** Origin and key, digested. */
  readonly account: string;
  readonly source: Pick<ReplayableInput, 'name' | 'digest'>;
  /** How the input is read. */
  readonly format: string;
  readonly locks: Locks;
}

/** Opens the journal of an import, or creates it, and locks it until it is closed. */
export async function openJournal({
  path,
  account,
  source,
  format,
  locks,
}: JournalOptions): Promise<Journal> {
  const held = await lockJournal(path, locks);
  try {
    const known = await readJournal(path);
    const { header } = known;
    if (header && (header.account !== account || header.digest !== source.digest)) {
      throw usageError(
        'other_journal',
        `${path} is the journal of another import`,
        'leave --journal out, or name a new file',
      );
    }
    if (header && header.format !== format) {
      throw usageError(
        'other_format',
        `the import of this file was begun as ${header.format}`,
        `pass --format ${header.format}, or --journal with a new file`,
      );
    }
    const own = { account, ...source, format, boot: bootId(locks.clock.now()) };
    beginAgain(known, own);
    const file = openSync(path, 'a', 0o600);
    if (known.isTorn) ftruncateSync(file, known.whole);
    // Written again at each start, so that every one tells of its boot.
    writeSync(file, `${formatHeader(own)}\n`);
    // What an earlier run wrote, and did not live to sync, is trusted from here on.
    await sync(file);
    return journalOver(file, path, known, held, locks.clock);
  } catch (error) {
    held.release();
    throw failureOf(error, path);
  }
}

/** Locks the file itself, whatever name it is called by. */
async function lockJournal(path: string, locks: Locks): Promise<HeldLock> {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && (!stats.isFile() || stats.nlink > 1)) {
      throw usageError('no_journal', `${path} is no file of its own`, 'name another file');
    }
    return locks.acquire(`${stats ? realpathSync(path) : path}.lock`);
  } catch (error) {
    throw failureOf(error, path);
  }
}

/** An unfinished journal of an import of the same file by the same account, with another content. */
export async function findOtherJournal(
  directory: string,
  account: string,
  { name, digest }: Pick<ReplayableInput, 'name' | 'digest'>,
): Promise<string | undefined> {
  const files = await readdir(directory).catch(() => []);
  for (const file of files.filter((one) => one.startsWith(account) && one.endsWith('.journal'))) {
    const path = join(directory, file);
    const header = await readHeader(path).catch(() => undefined);
    if (header?.name !== name || header.digest === digest) continue;
    const known = await readJournal(path).catch(() => undefined);
    if (known && !known.isFinished) return path;
  }
  return undefined;
}

/** A name of the time since this machine was started: the system's own, or when that was, in seconds. */
function bootId(now: number): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return `@${Math.round(now / 1000 - uptime())}`;
  }
}

/**
 * So many rows may be in doubt after a power cut, and are sent for one sync: those of a quarter of a second, since
 * a disk that syncs all the time slows down whoever else uses it.
 */
function strideOf(begun: number, milliseconds: number): number {
  const perSecond = begun / Math.max(1, milliseconds / 1000);
  return Math.min(256, Math.max(32, Math.round(perSecond / 4)));
}

const sync = promisify(fdatasync);

function journalOver(
  file: number,
  path: string,
  known: Known,
  held: HeldLock,
  clock: Clock,
): Journal {
  const settled = known.states.reduce((count, state) => count + (state === 0 ? 0 : 1), 0);
  let trouble: unknown;
  const write = (line: string) => {
    // Half a line may stand there already, and what follows it would be lost.
    if (trouble !== undefined) throw trouble;
    try {
      const bytes = Buffer.from(`${line}\n`);
      // A disk that is nearly full takes a part.
      if (writeSync(file, bytes) < bytes.length)
        throw Object.assign(new Error(), { code: 'ENOSPC' });
    } catch (error) {
      trouble = failureOf(error, path);
      throw trouble;
    }
  };
  const note = (row: number, state: RowState, line: string) => {
    write(line);
    setState(known, row, state);
  };
  let { horizon } = known;
  let extending = Promise.resolve();
  let announced = horizon;
  let begun = 0;
  let stride = strideOf(0, 0);
  const start = clock.now();
  const extend = (row: number) => {
    stride = strideOf(begun, clock.now() - start);
    announced = row + stride;
    write(`~${announced}`);
    const reached = announced;
    extending = sync(file).then(
      () => {
        horizon = Math.max(horizon, reached);
      },
      (error) => {
        trouble = failureOf(error, path);
        throw trouble;
      },
    );
    extending.catch(() => {});
  };
  return {
    path,
    settled,
    isFinished: known.isFinished,
    stateOf: (row) => stateNames[known.states[row] ?? 0] as RowState,
    reasonOf: (row) => known.reasons.get(row),
    begin: async (row) => {
      begun += 1;
      // Half way there, so that nobody waits for the disk.
      if (row + stride / 2 > announced) extend(row);
      while (row > horizon) await extending;
      if (!held.isHeld()) throw takenOver(path);
      note(row, 'begun', `>${row}`);
    },
    takeBack: (row) => note(row, 'new', `<${row}`),
    added: (row, id) => note(row, 'added', `+${row} ${id}`),
    rejected: (row, reason) => {
      known.reasons.set(row, reason);
      note(row, 'rejected', `-${row} ${JSON.stringify(reason)}`);
    },
    isForRejects: (other) => known.rejects.has(resolve(other)),
    keepRejects: (other) => write(`!${JSON.stringify(resolve(other))}`),
    finish: async () => {
      write('.');
      await sync(file);
    },
    close: async () => {
      await extending.catch(() => {});
      closeSync(file);
      held.release();
    },
  };
}

function takenOver(path: string): Failure {
  return new Failure('system', {
    code: 'journal_taken_over',
    message: `another petstore has taken over ${path} while this one was stopped`,
  });
}

function failureOf(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || code === undefined) return error;
  return new Failure('system', {
    code: 'unwritable_journal',
    message: `the journal ${path} cannot be used (${code})`,
    hint: '--journal names a file elsewhere',
    cause: error,
  });
}
