import { createReadStream } from 'node:fs';
import { type Failure, usageError } from '../../../failure.js';

/** Whether a row was sent: a row that stays `sent` has no known outcome, and the pet may exist. */
export type RowState = 'new' | 'sent' | 'added' | 'rejected';

/** Identifies an import; the first line of its journal. */
export interface JournalHeader {
  readonly account: string;
  readonly digest: string;
  readonly format: string;
  readonly name: string;
  /** The origin of the service. */
  readonly origin: string;
  /** The number of rows of the input. */
  readonly rows: number;
  /** A digest of these rows. */
  readonly rowsDigest: string;
  /** The id of the data in the sandbox, if that is the service: the journal is void once the data is replaced. */
  readonly dataId?: string | undefined;
  /** Differs after each boot of the machine. */
  readonly boot: string;
  /** The beginning of each row's idempotency key. */
  readonly keyPrefix: string;
}

/** An import that sent rows, finished or not. */
export interface EarlierImport {
  /** The path of its journal. */
  readonly path: string;
  /** The last header of its journal. */
  readonly header: JournalHeader;
  /** One for each of its runs: the input may have had another name, or fewer rows. */
  readonly headers: readonly JournalHeader[];
  readonly isFinished: boolean;
}

/** Rows that were allowed to be sent at the same time. */
interface Reservation {
  readonly lastRow: number;
  /** In milliseconds since the Unix epoch. */
  readonly reservedAt: number;
}

export type JournalContent = ReturnType<typeof createContent>;

export function createContent() {
  return {
    header: undefined as JournalHeader | undefined,
    headers: [] as JournalHeader[],
    /** One byte per row: the index of its state in `rowStates`. */
    states: new Uint8Array(1024),
    rejectReasons: new Map<number, string>(),
    /** Rows without a known outcome that were sent with another API key. */
    rowsOfOtherKeys: new Set<number>(),
    /** The last row that may have been sent. */
    reservedRow: 0,
    /** By ascending last row. */
    reservations: [] as Reservation[],
    isFinished: false,
    /** Length without a last line that a crash truncated. */
    completeBytes: 0,
    isTruncated: false,
  };
}

export const rowStates: readonly RowState[] = ['new', 'sent', 'added', 'rejected'];

/**
 * Formats the lines of a journal file. The format: UTF-8 text with one event per line, each ending in a line feed.
 * A last line without one is ignored.
 *
 *     {"petstore":"import","version":1,…}   header, written at each start of the import
 *     ~64 1763000000000  rows up to 64 may be sent, since this time in milliseconds since the Unix epoch; synced to disk
 *                   before the first of them is sent
 *     >12           row 12 is about to be sent
 *     +12 345       row 12 was added with id 345
 *     -12 "reason"  row 12 was rejected
 *     <12           row 12 was certainly not added, and may be sent again
 *     .             the import is finished
 *
 * Only the `~` lines are synced. After a power cut other lines may be missing, so rows up to the last `~` without an
 * outcome count as sent.
 */
export const journalLine = {
  header: (header: JournalHeader) => `${headerStart}${JSON.stringify({ version: 1, ...header }).slice(1)}`,
  reserved: (row: number, now: number) => `~${row} ${now}`,
  sent: (row: number) => `>${row}`,
  added: (row: number, id: string) => `+${row} ${id}`,
  rejected: (row: number, reason: string) => `-${row} ${JSON.stringify(reason)}`,
  notSent: (row: number) => `<${row}`,
  finished: () => '.',
};

const headerStart = '{"petstore":"import",';

const stateMarkers: Readonly<Record<string, RowState>> = {
  '<': 'new',
  '>': 'sent',
  '+': 'added',
  '-': 'rejected',
};

/** Reads a journal; a missing file is empty. Throws a usage error for another file, else errors of Node.js. */
export async function readJournal(path: string): Promise<JournalContent> {
  const content = createContent();
  try {
    let rest = '';
    for await (const chunk of createReadStream(path, 'utf8')) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() as string;
      for (const line of lines) {
        content.completeBytes += Buffer.byteLength(line) + 1;
        applyLine(content, line, path);
      }
      const isHeader = rest.startsWith(headerStart) || headerStart.startsWith(rest);
      if (!content.header && !isHeader) throw notAJournal(path);
    }
    content.isTruncated = rest !== '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return content;
}

function applyLine(content: JournalContent, line: string, path: string): void {
  if (!content.header || line.startsWith('{')) {
    const header = parseHeader(line);
    if (!header) throw notAJournal(path);
    startRun(content, header);
    return;
  }
  content.isFinished = line === '.';
  const [, lastRow, reservedAt] = /^~(\d{1,15}) (\d{1,15})$/.exec(line) ?? [];
  if (lastRow) {
    content.reservedRow = Number(lastRow);
    content.reservations.push({ lastRow: Number(lastRow), reservedAt: Number(reservedAt) });
  }
  const [, marker = '', digits, rest = ''] = /^([<>+-])(\d{1,15})(?: (.*))?$/s.exec(line) ?? [];
  const state = stateMarkers[marker];
  if (state === undefined) return;
  const row = Number(digits);
  setRowState(content, row, state);
  if (state === 'rejected') content.rejectReasons.set(row, parseText(rest));
}

/** Returns when the row was reserved first, in milliseconds since the Unix epoch: it was not sent before. */
export function findReservationTime({ reservations }: JournalContent, row: number): number | undefined {
  return reservations.find(({ lastRow }) => row <= lastRow)?.reservedAt;
}

/**
 * Starts another run. If rows were appended to the input, the import is no longer finished. After a reboot, marks all
 * rows that may have been sent as sent, since lines may be lost. With another API key, a row without a known
 * outcome is not sent again: a service honors an idempotency key only for the API key that sent it first.
 */
export function startRun(content: JournalContent, header: JournalHeader): void {
  if (content.header && content.header.account !== header.account) {
    content.states.forEach((state, row) => {
      if (rowStates[state] === 'sent') content.rowsOfOtherKeys.add(row);
    });
  }
  if (content.header && header.rows > content.header.rows) content.isFinished = false;
  const maxRows = Math.max(0, ...content.headers.map(({ rows }) => rows));
  // The last reservation may exceed the rows of the input, and appended rows must not count as sent.
  content.reservedRow = Math.min(content.reservedRow, maxRows);
  content.reservations = content.reservations.map((one) => ({ ...one, lastRow: Math.min(one.lastRow, maxRows) }));
  content.headers.push(header);
  const isSameBoot = !content.header || isSameBootId(content.header.boot, header.boot);
  content.header = header;
  if (isSameBoot) return;
  for (let row = 1; row <= content.reservedRow; row += 1) {
    if ((content.states[row] ?? 0) === 0) setRowState(content, row, 'sent');
  }
}

/** Returns whether the data of the sandbox was replaced since this import. */
export function isVoid(header: JournalHeader | undefined, dataId: string | undefined): boolean {
  return header?.dataId !== undefined && header.dataId !== dataId;
}

/** Compares two boot ids; times of boot (`@<seconds>`) may differ by 30 s, since the clock may be adjusted. */
function isSameBootId(id: string, other: string): boolean {
  const [time, otherTime] = [id, other].map((text) => Number(/^@(\d+)$/.exec(text)?.[1]));
  return id === other || Math.abs(Number(time) - Number(otherTime)) <= 30;
}

function parseHeader(line: string): JournalHeader | undefined {
  try {
    const { petstore, version: _, ...header } = JSON.parse(line);
    const { account, digest, format, name, origin, rows, rowsDigest, boot, keyPrefix } = header;
    const texts = [account, digest, format, name, origin, rowsDigest, boot, keyPrefix];
    return petstore === 'import' && texts.every(Boolean) && Number.isSafeInteger(rows) ? header : undefined;
  } catch {
    return undefined;
  }
}

function parseText(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return '';
  }
}

export function setRowState(content: JournalContent, row: number, state: RowState): void {
  if (row >= content.states.length) {
    const longer = new Uint8Array(Math.max(row + 1, content.states.length * 2));
    longer.set(content.states);
    content.states = longer;
  }
  content.states[row] = rowStates.indexOf(state);
}

export function countSentRows({ states }: JournalContent): number {
  return states.reduce((count, state) => count + (state === 0 ? 0 : 1), 0);
}

export function hasUnknownRows({ states }: JournalContent): boolean {
  return states.includes(rowStates.indexOf('sent'));
}

function notAJournal(path: string): Failure {
  return usageError('other_journal', `${path} is not an import journal`, 'pass --journal with another file name');
}
