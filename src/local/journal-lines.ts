import { createReadStream } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { usage } from '../ports/failure.js';
import type { RowState } from '../ports/files.js';

/** What a journal is of: its first line, written again at each start. */
export interface Header {
  readonly account: string;
  readonly digest: string;
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
  };
}

/** Reads a journal, where there is one; what a crash cut off of it is taken away. Throws what Node.js does. */
export async function readJournal(path: string): Promise<Known> {
  const known = nothing();
  const stream = createReadStream(path, 'utf8');
  let whole = 0;
  try {
    // What was cut off by a crash has no line feed; a line that is not whole never happened.
    let text = '';
    for await (const chunk of stream) {
      const lines = (text + chunk).split('\n');
      text = lines.pop() as string;
      for (const line of lines) {
        whole += Buffer.byteLength(line) + 1;
        take(known, line, path);
      }
    }
    if (text !== '') await truncate(path, whole);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return known;
}

function take(known: Known, line: string, path: string): void {
  if (!known.header || line.startsWith('{')) {
    known.header = headerOf(line, path);
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

function headerOf(line: string, path: string): Header {
  try {
    const header = JSON.parse(line) as Partial<Header> & { petstore?: unknown };
    const { account, digest, name, boot } = header;
    if (header.petstore === 'import' && account && digest && name && boot) {
      return { account, digest, name, boot };
    }
  } catch {
    // Told below.
  }
  throw usage('no_journal', `${path} is not the journal of an import`, 'name another file');
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
