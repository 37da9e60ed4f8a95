import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Failure, usageError } from '../../../failure.js';

/*
 * The format of a journal: a header, then one line per event. `>12`: row 12 is about to be sent. `+12 345`: it
 * was added with id 345. `-12 reason`: it was rejected. `<12`: it was not carried out. `!"a.csv"`: a file with
 * rejects. `.`: the import finished. `~64`: rows up to 64 may be sent from here on. Only the `~` lines are
 * synced, before those rows are sent; so after a power cut, rows up to that number without an outcome may have
 * been sent.
 */

/** What became of a row. A row that was begun and has no outcome may have been added: it is in doubt. */
export type RowState = 'new' | 'begun' | 'added' | 'rejected';

/** What a journal is of: its first line, written again at each start. */
export interface Header {
  readonly account: string;
  readonly digest: string;
  readonly format: string;
  readonly name: string;
  /** Changes whenever the machine starts. */
  readonly boot: string;
}

/** What a journal told. */
export interface Known {
  header: Header | undefined;
  states: Uint8Array;
  readonly reasons: Map<number, string>;
  /** Rows up to this one may have been sent. */
  horizon: number;
  isFinished: boolean;
  /** The files for rejects that this import has made. */
  readonly rejects: Set<string>;
  /** Bytes up to the last line that is whole; a crash may have cut off the one behind it. */
  whole: number;
  isTorn: boolean;
}

export const stateNames: readonly RowState[] = ['new', 'begun', 'added', 'rejected'];
const marks: Readonly<Record<string, RowState>> = {
  '<': 'new',
  '>': 'begun',
  '+': 'added',
  '-': 'rejected',
};

function nothing(): Known {
  return {
    header: undefined,
    states: new Uint8Array(1024),
    reasons: new Map(),
    horizon: 0,
    isFinished: false,
    rejects: new Set(),
    whole: 0,
    isTorn: false,
  };
}

/** Reads a journal, where there is one; it stays as it is. Throws what Node.js does. */
export async function readJournal(path: string): Promise<Known> {
  const known = nothing();
  const stream = createReadStream(path, 'utf8');
  try {
    // What was cut off by a crash has no line feed; a line that is not whole never happened.
    let text = '';
    for await (const chunk of stream) {
      const lines = (text + chunk).split('\n');
      text = lines.pop() as string;
      for (const line of lines) {
        known.whole += Buffer.byteLength(line) + 1;
        take(known, line, path);
      }
      if (!known.header && !isBegun(text)) throw noJournal(path);
    }
    known.isTorn = text !== '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return known;
}

/** What a journal is of, by its first line alone; nothing where it is none. Throws what Node.js does. */
export async function readHeader(path: string): Promise<Header | undefined> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8192), 0, 8192, 0);
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n');
    return parseHeader(line);
  } finally {
    await file.close();
  }
}

function take(known: Known, line: string, path: string): void {
  if (!known.header || line.startsWith('{')) {
    const header = parseHeader(line);
    if (!header) throw noJournal(path);
    beginAgain(known, header);
    return;
  }
  if (line.startsWith('!')) {
    known.rejects.add(parseText(line.slice(1)));
    return;
  }
  known.isFinished = line === '.';
  if (line.startsWith('~')) known.horizon = Number(line.slice(1)) || 0;
  const [, mark = '', digits = '', rest = ''] = /^([<>+-])(\d{1,15})(?: (.*))?$/s.exec(line) ?? [];
  const state = marks[mark];
  if (state === undefined) return;
  setState(known, Number(digits), state);
  if (state === 'rejected') known.reasons.set(Number(digits), parseText(rest));
}

/**
 * Another start of the import. Where the machine was started anew in between, lines may be lost, and every row
 * that may have been sent and has no outcome is in doubt.
 */
export function beginAgain(known: Known, header: Header): void {
  const isSameBoot = !known.header || isSame(known.header.boot, header.boot);
  known.header = header;
  if (isSameBoot) return;
  for (let row = 1; row <= known.horizon; row += 1) {
    if ((known.states[row] ?? 0) === 0) setState(known, row, 'begun');
  }
}

/** Where the system has no name for a boot it is a time in seconds, told by a clock that may be set a little. */
function isSame(boot: string, other: string): boolean {
  const [at, otherAt] = [boot, other].map((one) => Number(/^@(\d+)$/.exec(one)?.[1]));
  return boot === other || Math.abs(Number(at) - Number(otherAt)) <= 30;
}

/** What every journal begins with. */
const beginning = '{"petstore":"import",';

export function formatHeader({ account, digest, format, name, boot }: Header): string {
  const header = { version: 1, account, digest, format, name, boot };
  return `${beginning}${JSON.stringify(header).slice(1)}`;
}

/** True for the first bytes of a journal, however few. */
function isBegun(text: string): boolean {
  return text.startsWith(beginning) || beginning.startsWith(text);
}

function parseHeader(line: string): Header | undefined {
  try {
    const header = JSON.parse(line) as Partial<Header> & { petstore?: unknown };
    const { account, digest, format, name, boot } = header;
    const isWhole = account && digest && format && name && boot;
    if (header.petstore !== 'import' || !isWhole) return undefined;
    return { account, digest, format, name, boot };
  } catch {
    return undefined;
  }
}

function noJournal(path: string): Failure {
  return usageError('no_journal', `${path} is not the journal of an import`, 'name another file');
}

function parseText(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return '';
  }
}

/** One byte a row, whatever their number. */
export function setState(known: Known, row: number, state: RowState): void {
  if (row >= known.states.length) {
    const longer = new Uint8Array(Math.max(row + 1, known.states.length * 2));
    longer.set(known.states);
    known.states = longer;
  }
  known.states[row] = stateNames.indexOf(state);
}
