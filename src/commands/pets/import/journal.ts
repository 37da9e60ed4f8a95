import type { AppendOnlyFile, JournalDirectory } from '../../../app/files.js';
import type { HeldLock } from '../../../config/files.js';
import { Failure, usageError } from '../../../failure.js';

/** A line of a journal, which is NDJSON in UTF-8. The event of a row has its key. A last line without a line feed was cut off by a crash. */
type JournalEvent =
  /** Begins each run. */
  | JournalHeader
  /** The row is about to be sent; on disk before it is. Without a later event, the row may have been added. */
  | { readonly sent: string; readonly at: number }
  /** Final, whatever follows. */
  | { readonly added: string }
  /** By the service. A later run sends the row again. */
  | { readonly rejected: string; readonly reason: string }
  /** The row was certainly not added, and may be sent. */
  | { readonly unsent: string }
  /** The outcome is unknown and stays so: the row is never sent again. */
  | { readonly unknown: string };

/** What identifies an import. */
export interface ImportIdentity {
  /** A digest that names the service: its origin and path, or the data of the sandbox. */
  readonly service: string;
  /** A digest of the origin and the API key. */
  readonly account: string;
  /** The absolute path of the input; undefined for a pipe. */
  readonly path: string | undefined;
  /** A digest of the keys of the rows, in whatever order. */
  readonly digest: string;
}

interface JournalHeader extends ImportIdentity {
  readonly petstore: 'import';
  readonly version: 1;
  /** The beginning of each row's idempotency key, the same in all runs. */
  readonly prefix: string;
  /** The start of the run, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** The last known state of a row that was sent. */
export interface JournalRow {
  readonly state: 'sent' | 'added' | 'rejected' | 'unknown';
  /** When the row was sent first, in milliseconds since the Unix epoch. */
  readonly sentAt?: number;
  /** The account that sent it. */
  readonly account?: string | undefined;
  /** Why the service rejected it. */
  readonly reason?: string;
}

export interface JournalContent {
  readonly path: string;
  /** The size of all complete lines, in bytes. */
  size: number;
  /** One for each run, the oldest first. */
  readonly headers: JournalHeader[];
  /** By key. */
  readonly rows: Map<string, JournalRow>;
}

const headerStart = '{"petstore":"import",';

/** Returns the content of a new journal. */
export function createJournal(path: string): JournalContent {
  return { path, size: 0, headers: [], rows: new Map() };
}

/** Returns the content of a journal, or only its headers. Throws a usage error if the file is not a journal. */
export function readJournal(
  { readLines }: JournalDirectory,
  path: string,
  { headersOnly = false }: { readonly headersOnly?: boolean } = {},
): JournalContent {
  const content = createJournal(path);
  try {
    for (const line of readLines(path)) {
      const isHeader = line.startsWith(headerStart);
      // Even a part of the first line shows whether a file is a journal. Another one must not be changed.
      const isJournal = isHeader || content.headers.length > 0 || headerStart.startsWith(line);
      if (!isJournal) throw new SyntaxError('not a journal');
      if (!line.endsWith('\n')) break;
      content.size += Buffer.byteLength(line);
      if (isHeader || !headersOnly) applyEvent(content, JSON.parse(line));
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const message = `${path} is not an import journal, or it is damaged`;
    throw usageError('other_journal', message, 'pass --journal with another file name');
  }
  return content;
}

function applyEvent({ headers, rows }: JournalContent, event: JournalEvent): void {
  if ('petstore' in event) headers.push(event);
  else if ('sent' in event) {
    // The service stores an idempotency key from its first use on.
    if (rows.get(event.sent)?.state === 'sent') return;
    setRow(rows, event.sent, { state: 'sent', sentAt: event.at, account: headers.at(-1)?.account });
  } else if ('added' in event) setRow(rows, event.added, addedRow);
  else if ('rejected' in event) setRow(rows, event.rejected, { state: 'rejected', reason: event.reason });
  else if ('unknown' in event) setRow(rows, event.unknown, unknownRow);
  else setRow(rows, event.unsent, undefined);
}

/** A row that was added stays added: a process that lost its lock may have added it while another one records attempts. */
function setRow(rows: JournalContent['rows'], key: string, row: JournalRow | undefined): void {
  if (rows.get(key)?.state === 'added') return;
  if (row) rows.set(key, row);
  else rows.delete(key);
}

/** Shared, since there may be a million of them. */
const addedRow: JournalRow = { state: 'added' };
const unknownRow: JournalRow = { state: 'unknown' };

export type Journal = Awaited<ReturnType<typeof startJournal>>;

/** Begins a run: writes its header, and returns a journal that records events, also in `content`. */
export async function startJournal(
  file: AppendOnlyFile,
  content: JournalContent,
  header: Omit<JournalHeader, 'petstore' | 'version'>,
  lock: HeldLock,
) {
  const { headers, rows } = content;
  const prefix = headers[0]?.prefix ?? header.prefix;
  let group: Promise<void> | undefined;
  let last = Promise.resolve();
  /** Resolves after the next sync. Events that arrive during a sync share the next one; after a failed one, all fail. */
  const sync = (): Promise<void> => {
    group ??= last.then(() => {
      group = undefined;
      return file.sync();
    });
    last = group;
    last.catch(() => {});
    return last;
  };
  /**
   * Records an event. Throws if it cannot be written, or if another process has the lock: an addition is
   * true even then. Resolves once the event survives a power cut.
   */
  const record = (event: JournalEvent): Promise<void> => {
    if (!('added' in event) && !lock.isHeld()) {
      const message = 'another petstore process took over the import while this process was suspended';
      throw new Failure('system', { code: 'lock_held', message, hint: 'wait for the other process' });
    }
    file.append(`${JSON.stringify(event)}\n`);
    applyEvent(content, event);
    return sync();
  };
  // Later runs find the journal by the header.
  await record({ petstore: 'import', version: 1, ...header, prefix });
  return {
    path: content.path,
    account: header.account,
    /** The beginning of each row's idempotency key. */
    prefix,
    getRow: (key: string) => rows.get(key),
    record,
    sync,
    close: () => {
      file.close();
      lock.release();
    },
  };
}
