import type { HeldLock } from '../../../config/files.js';
import { Failure, sameCommand, usageError } from '../../../failure.js';
import { truncate } from '../../../format/safe-text.js';

/*
 * The format of a journal: NDJSON in UTF-8. A header begins each run; then one event per line follows, with the key of its row.
 *
 *     {"petstore":"import","version":1,"service":"…","digest":"…",…}
 *     {"sent":"<key>","at":1763000000000}   the row is about to be sent; on disk before it is
 *     {"added":"<key>","id":"345"}
 *     {"rejected":"<key>","reason":"…"}     by the service; a later run sends it again
 *     {"unsent":"<key>"}                    the row was certainly not added, and may be sent
 *     {"unknown":"<key>"}                   the outcome is unknown and stays so: the row is never sent again
 *
 * A row whose last event is `sent` may have been added. A last line without a line feed was cut off by a crash.
 */

/** Begins a run of an import. */
export interface JournalHeader {
  /** A digest that names the service: its origin and path, or the data of the sandbox. */
  readonly service: string;
  /** A digest of the origin and the API key. */
  readonly account: string;
  /** The absolute path of the input; undefined for a pipe. */
  readonly path: string | undefined;
  /** The number of rows of the input. */
  readonly rows: number;
  /** A digest of the keys of these rows, in whatever order. */
  readonly digest: string;
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
  readonly account?: string;
}

export interface JournalContent {
  /** One for each run, the oldest first. */
  readonly headers: readonly JournalHeader[];
  /** By key. */
  readonly rows: Map<string, JournalRow>;
}

/** The journals of this user. Its methods throw `Failure` only. */
export interface JournalStore {
  /** Returns the paths of the journals whose names start with a prefix. */
  list(prefix: string): readonly string[];
  /** Returns the path of the journal with a name. */
  pathOf(name: string): string;
  /** Yields the lines of a journal; none if there is no such file. */
  readLines(path: string): Iterable<JournalLine>;
  /** Locks a journal. Throws a failure (system) if another process holds it. */
  lock(path: string): Promise<HeldLock>;
  /** Opens or creates a journal to append to it. Cuts off a last line that a crash left without a line feed. */
  open(path: string): Promise<JournalFile>;
}

export interface JournalLine {
  readonly text: string;
  /** False for a last line without a line feed. */
  readonly isComplete: boolean;
}

type JournalEvent =
  | { readonly sent: string; readonly at: number }
  | { readonly added: string; readonly id: string }
  | { readonly rejected: string; readonly reason: string }
  | { readonly unsent: string }
  | { readonly unknown: string };

const headerStart = '{"petstore":"import",';

/** Returns the headers of a journal. Throws a usage error if the file is not a journal. */
export function readHeaders(lines: Iterable<JournalLine>, path: string): readonly JournalHeader[] {
  const headers: JournalHeader[] = [];
  for (const line of lines) {
    checkStart(line, headers.length, path);
    if (line.isComplete && line.text.startsWith(headerStart)) headers.push(parseLine(line.text, path));
  }
  return headers;
}

/** Returns the content of a journal. Throws a usage error if the file is not a journal. */
export function readJournal(lines: Iterable<JournalLine>, path: string): JournalContent {
  const headers: JournalHeader[] = [];
  const rows = new Map<string, JournalRow>();
  for (const line of lines) {
    checkStart(line, headers.length, path);
    if (!line.isComplete) break;
    if (line.text.startsWith(headerStart)) headers.push(parseLine(line.text, path));
    else applyEvent(rows, parseLine(line.text, path), headers.at(-1)?.account);
  }
  return { headers, rows };
}

/** Even a part of the first line shows whether a file is a journal. Another one must not be changed. */
function checkStart({ text, isComplete }: JournalLine, headerCount: number, path: string): void {
  const isHeader = text.startsWith(headerStart) || (!isComplete && headerStart.startsWith(text));
  if (headerCount === 0 && !isHeader) throw notAJournal(path);
}

function parseLine<Value>(text: string, path: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    throw notAJournal(path);
  }
}

function notAJournal(path: string): Failure {
  const message = `${path} is not an import journal, or it is damaged`;
  return usageError('other_journal', message, 'pass --journal with another file name');
}

function applyEvent(rows: Map<string, JournalRow>, event: JournalEvent, account = ''): void {
  if ('sent' in event) {
    // The service stores an idempotency key from its first use on.
    if (rows.get(event.sent)?.state !== 'sent') rows.set(event.sent, { state: 'sent', sentAt: event.at, account });
  } else if ('added' in event) rows.set(event.added, addedRow);
  else if ('rejected' in event) rows.set(event.rejected, rejectedRow);
  else if ('unknown' in event) rows.set(event.unknown, unknownRow);
  else rows.delete(event.unsent);
}

/** Shared, since there may be a million of them. */
const addedRow: JournalRow = { state: 'added' };
const rejectedRow: JournalRow = { state: 'rejected' };
const unknownRow: JournalRow = { state: 'unknown' };

/** A file that lines are appended to. */
export interface JournalFile {
  /** Writes at once, so that the text survives the process. */
  append(text: string): void;
  /** Resolves once all text survives a power cut. */
  sync(): Promise<void>;
  close(): void;
}

export type Journal = Awaited<ReturnType<typeof startJournal>>;

/** Begins a run: writes its header, and returns a journal that records its events, also in `content`. */
export async function startJournal(
  file: JournalFile,
  content: JournalContent,
  options: { readonly header: Omit<JournalHeader, 'at'>; readonly lock: HeldLock; readonly now: () => number },
) {
  const { lock, now } = options;
  const { rows } = content;
  const header = { ...options.header, prefix: content.headers[0]?.prefix ?? options.header.prefix, at: now() };
  let group: Promise<void> | undefined;
  let last = Promise.resolve();
  /** Resolves after the next sync. Events that arrive during a sync share the next one. */
  const sync = () => {
    group ??= last.then(() => {
      group = undefined;
      return file.sync();
    });
    last = group;
    // A failed sync rejects the row that waits for it; all later ones fail, too.
    last.catch(() => {});
    return last;
  };
  const record = (event: JournalEvent): Promise<void> => {
    file.append(`${JSON.stringify(event)}\n`);
    applyEvent(rows, event, header.account);
    return sync();
  };
  file.append(`${JSON.stringify({ petstore: 'import', version: 1, ...header })}\n`);
  // Later runs find the journal by the header.
  await sync();
  return {
    getRow: (key: string) => rows.get(key),
    /** Returns the idempotency key of a row, the same in every run. */
    getIdempotencyKey: (key: string) => `${header.prefix}-${key}`,
    /** True if the row was sent with this API key: a service honors an idempotency key for one API key only. */
    isOwn: ({ account }: JournalRow) => account === header.account,
    /** Records that a row is about to be sent. Resolves once that survives a power cut. */
    markSent: async (key: string) => {
      if (!lock.isHeld()) throw lostLock();
      if (rows.get(key)?.state !== 'sent') await record({ sent: key, at: now() });
    },
    markAdded: (key: string, id: string) => void record({ added: key, id }),
    markRejected: (key: string, reason: string) => void record({ rejected: key, reason: truncate(reason, 500) }),
    /** Records that the service certainly did not add the row. */
    markUnsent: (key: string) => void record({ unsent: key }),
    markUnknown: (key: string) => void record({ unknown: key }),
    close: async () => {
      try {
        await sync();
      } finally {
        file.close();
        lock.release();
      }
    },
  };
}

function lostLock(): Failure {
  return new Failure('system', {
    code: 'lock_held',
    message: 'another petstore process took over the import while this process was suspended',
    hint: ['wait for the other process, then run the same command to resume', sameCommand],
  });
}
