import { closeSync, fdatasync, openSync, readFileSync, writeSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Failure, usage } from '../ports/failure.js';
import type { Journal, RowState, Source } from '../ports/files.js';
import { makeDirectory } from './directory.js';
import { type Known, readJournal, setState, stateNames } from './journal-lines.js';
import { holdLock, type LockOptions } from './lock.js';

export interface JournalOptions {
  readonly path: string;
  /** Origin and key, digested. */
  readonly account: string;
  readonly source: Pick<Source, 'name' | 'digest'>;
  readonly lock: LockOptions;
}

/**
 * The journal of an import: a header, then a line for all that happens to a row: `>12` it is about to be sent,
 * `+12 345` it was added with the id 345, `-12 reason` it was refused, `<12` it was not carried out; `.` at
 * the end. Lines are written at once, and outlive the process. What a power cut may take back is bounded by
 * `~64`: rows up to 64 may be sent from here on. That line is synced, with all before it, before they are; so
 * where the machine was started anew in between, such rows without an outcome may have been sent.
 */
export async function openJournal({
  path,
  account,
  source,
  lock,
}: JournalOptions): Promise<Journal> {
  makeDirectory(dirname(path));
  const release = await holdLock(`${path}.lock`, lock);
  try {
    const known = await readJournal(path);
    const { header } = known;
    if (header && (header.account !== account || header.digest !== source.digest)) {
      throw usage(
        'other_journal',
        `${path} is the journal of another import`,
        'leave --journal out, or name a new file',
      );
    }
    const boot = bootId();
    if (header && header.boot !== boot) doubtAfterPowerCut(known);
    const file = openSync(path, 'a', 0o600);
    // Written again at each start, so that the last one tells.
    writeSync(
      file,
      `${JSON.stringify({ petstore: 'import', version: 1, account, ...source, boot })}\n`,
    );
    return journalOver(file, path, known, release);
  } catch (error) {
    release();
    throw failureOf(error, path);
  }
}

/** An unfinished journal of an import of the same file by the same account, with another content. */
export async function findOtherJournal(
  directory: string,
  account: string,
  { name, digest }: Pick<Source, 'name' | 'digest'>,
): Promise<string | undefined> {
  const files = await readdir(directory).catch(() => []);
  for (const file of files.filter((one) => one.startsWith(account) && one.endsWith('.journal'))) {
    const path = join(directory, file);
    const { header, isFinished } = await readJournal(path).catch(() => ({
      header: undefined,
      isFinished: true,
    }));
    if (header?.name === name && header.digest !== digest && !isFinished) return path;
  }
  return undefined;
}

/** A name of the time since this machine was started; where the system has none, all times are one. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

function doubtAfterPowerCut(known: Known): void {
  for (let row = 1; row <= known.horizon; row += 1) {
    if ((known.states[row] ?? 0) === 0) setState(known, row, 'begun');
  }
}

/** So many rows may be in doubt after a power cut, and are sent for one sync. */
const stride = 32;
const sync = promisify(fdatasync);

function journalOver(file: number, path: string, known: Known, release: () => void): Journal {
  const isResumed = known.states.some((state) => state !== 0);
  const write = (line: string) => {
    try {
      writeSync(file, `${line}\n`);
    } catch (error) {
      throw failureOf(error, path);
    }
  };
  const note = (row: number, state: RowState, line: string) => {
    write(line);
    setState(known, row, state);
  };
  let { horizon } = known;
  let extending = Promise.resolve();
  let announced = horizon;
  const extend = (row: number) => {
    announced = row + stride;
    write(`~${announced}`);
    const reached = announced;
    extending = sync(file).then(
      () => {
        horizon = Math.max(horizon, reached);
      },
      (error) => {
        throw failureOf(error, path);
      },
    );
    // Whoever waits for it is told.
    extending.catch(() => {});
  };
  return {
    path,
    isResumed,
    isFinished: known.isFinished,
    stateOf: (row) => stateNames[known.states[row] ?? 0] as RowState,
    reasonOf: (row) => known.reasons.get(row),
    begin: async (row) => {
      // Half way there, so that nobody waits for the disk.
      if (row + stride / 2 > announced) extend(row);
      while (row > horizon) await extending;
      note(row, 'begun', `>${row}`);
    },
    takeBack: (row) => note(row, 'new', `<${row}`),
    added: (row, id) => note(row, 'added', `+${row} ${id}`),
    rejected: (row, reason) => {
      known.reasons.set(row, reason);
      note(row, 'rejected', `-${row} ${JSON.stringify(reason)}`);
    },
    finish: async () => {
      write('.');
      await sync(file);
    },
    close: async () => {
      await extending.catch(() => {});
      closeSync(file);
      release();
    },
  };
}

function failureOf(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || code === undefined) return error;
  return new Failure('machine', {
    code: 'unwritable_journal',
    message: `the journal ${path} cannot be used (${code})`,
    hint: '--journal names a file elsewhere',
    cause: error,
  });
}
