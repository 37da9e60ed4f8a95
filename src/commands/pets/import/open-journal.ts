import { openSync, readFileSync, realpathSync, renameSync, statSync, truncateSync, writeSync } from 'node:fs';
import { uptime } from 'node:os';
import type { HeldLock, Locks } from '../../../config/files.js';
import { usageError } from '../../../failure.js';
import { createJournal, type Journal, sync, takenOverFailure, toJournalFailure } from './journal.js';
import {
  countSentRows,
  createContent,
  type EarlierImport,
  hasUnknownRows,
  isVoid,
  type JournalHeader,
  journalLine,
  readJournal,
  startRun,
} from './journal-file.js';
import type { ReplayableInput } from './replayable-input.js';

/** What distinguishes an import from others. */
export interface ImportIdentity {
  /** A digest of origin and API key. */
  readonly account: string;
  readonly origin: string;
  /** The id of the data in the sandbox. */
  readonly dataId: string | undefined;
  readonly source: Pick<ReplayableInput, 'name' | 'digest'>;
  /** The format of the input. */
  readonly format: string;
  readonly rows: number;
  readonly rowsDigest: string;
}

/** What earlier runs of an import did. */
export interface EarlierRuns {
  readonly isFinished: boolean;
  readonly sentRows: number;
  /** Whether the outcome of some of these rows is unknown. */
  readonly hasUnknownRows: boolean;
}

export interface JournalOptions extends ImportIdentity {
  readonly path: string;
  /** The import that this one continues, since rows were appended to its input. Its journal is moved to `path`. */
  readonly earlier?: EarlierImport | undefined;
  /** Rejects if the user cancels the import; this leaves the journal unchanged. */
  readonly confirm?: ((runs: EarlierRuns) => Promise<void>) | undefined;
  readonly locks: Locks;
  readonly createUuid: () => string;
  readonly platform: string;
}

/** Opens or creates the journal of an import, and locks it until it is closed. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { path, earlier, account, origin, dataId, source, format, rows, rowsDigest, locks } = options;
  const isMoved = earlier !== undefined && earlier.path !== path;
  let lock: HeldLock | undefined;
  let earlierLock: HeldLock | undefined;
  try {
    lock = await lockJournal(path, locks);
    if (isMoved) earlierLock = await lockJournal(earlier.path, locks);
    const currentPath = earlier?.path ?? path;
    let content = await readJournal(currentPath);
    let { header } = content;
    if (header) checkSameImport(header, options);
    if (isVoid(header, dataId)) {
      truncateSync(path);
      content = createContent();
      header = undefined;
    }
    if (header) checkSameFormat(header, options);
    const keyPrefix = header?.keyPrefix ?? options.createUuid();
    const boot = readBootId(options.platform, locks.clock.now());
    const identity = { account, origin, ...source, format, rows, rowsDigest };
    const ownHeader = { ...identity, ...(dataId !== undefined && { dataId }), boot, keyPrefix };
    startRun(content, ownHeader);
    await options.confirm?.({
      isFinished: content.isFinished,
      sentRows: countSentRows(content),
      hasUnknownRows: hasUnknownRows(content),
    });
    // Another process takes over the locks if this one is suspended during the question.
    if (![lock, earlierLock].every((one) => one?.isHeld() ?? true)) throw takenOverFailure(currentPath);
    // Before it is opened to append: Windows cannot truncate a file that is.
    if (content.isTruncated) truncateSync(currentPath, content.completeBytes);
    const file = openSync(currentPath, 'a', 0o600);
    writeSync(file, `${journalLine.header(ownHeader)}\n`);
    // Also syncs the lines of earlier runs, so that a power cut cannot undo them.
    await sync(file);
    // After the header: a journal whose name has the digest of another input would not be found.
    if (isMoved) renameSync(earlier.path, path);
    return createJournal(file, path, content, { lock, keyPrefix, clock: locks.clock });
  } catch (error) {
    lock?.release();
    throw toJournalFailure(error, path);
  } finally {
    earlierLock?.release();
  }
}

/**
 * Throws a usage error unless the journal belongs to this import, or to the earlier one that this import continues. The
 * journal of another API key of the same service, which is not found unless it is named, continues with this API key.
 */
function checkSameImport(header: JournalHeader, { path, earlier, account, origin, source }: JournalOptions): void {
  if (header.digest === source.digest && header.origin === origin) return;
  if (header.account === account && [source.digest, earlier?.header.digest].includes(header.digest)) return;
  throw usageError(
    'other_journal',
    `${path} is the journal of another import`,
    'omit --journal, or pass --journal with a new file name',
  );
}

function checkSameFormat(header: JournalHeader, { format }: JournalOptions): void {
  if (header.format === format) return;
  throw usageError(
    'other_journal',
    `the import of this file started with the format ${header.format}`,
    `pass --format ${header.format}, or --journal with a new file name`,
  );
}

/** Locks the file behind a symbolic link; rejects hard links, which have no single path to lock. */
async function lockJournal(path: string, locks: Locks): Promise<HeldLock> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && (!stats.isFile() || stats.nlink > 1)) {
    throw usageError(
      'other_journal',
      `${path} is not a regular file, or has hard links`,
      'pass --journal with another file name',
    );
  }
  return locks.acquire(`${stats ? realpathSync(path) : path}.lock`, { activity: 'is running this import' });
}

/** Returns Linux's boot id; elsewhere `@` and the time of boot in seconds. */
function readBootId(platform: string, now: number): string {
  const timeOfBoot = `@${Math.round(now / 1000 - uptime())}`;
  if (platform !== 'linux') return timeOfBoot;
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return timeOfBoot;
  }
}
