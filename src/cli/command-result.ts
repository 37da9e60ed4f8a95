import type { AtomicFile } from '../config/atomic-file.js';
import type { Failure } from '../failure.js';
import type { OutputFormat } from '../format/output-format.js';

/** One record as it is shown: the keys of the columns, and in machine formats any others. */
export type ViewRecord = Readonly<Record<string, unknown>>;

export interface Column {
  /** The record's key: the heading, and the name that `--fields` takes. */
  readonly key: string;
  /** May be cut where a table is wider than the terminal. */
  readonly elastic?: true;
  /** How a terminal dresses it. */
  readonly style?: 'status';
}

/** What a command found, printed by the renderer in the format that was asked for. */
type View =
  | {
      readonly kind: 'records';
      /** `undefined`: whatever keys come. */
      readonly columns?: readonly Column[];
      /** Batches of records, as they come. */
      readonly batches: AsyncIterable<readonly ViewRecord[]>;
      /** What JSON and YAML show in place of a list of the records: the whole as it came. */
      readonly document?: unknown;
      /** Written as it comes, in a format of its own, and into a file where there is one. */
      readonly streamed?: { readonly format: OutputFormat; readonly file?: AtomicFile };
      /** Said on stderr where a table would be empty. */
      readonly empty: string;
      /** What is said once all is shown. */
      readonly afterwards?: () => void;
    }
  | {
      readonly kind: 'record';
      readonly columns: readonly Column[];
      readonly record: ViewRecord;
      /** `--fields` may name any key. */
      readonly open?: true;
      /** What a person sees in place of the record. */
      readonly text?: string;
      /** What runs on once the record is shown. */
      readonly afterwards?: () => Promise<void>;
    }
  | { readonly kind: 'text'; readonly text: string }
  /** Lines as they come, whole ones with their ends, until nobody reads them any more. */
  | { readonly kind: 'lines'; readonly lines: AsyncIterable<string> }
  /** A page of the manual: its file below `man/`, and as text of some width. */
  | { readonly kind: 'page'; readonly file: string; readonly text: (width?: number) => string }
  /** Bytes as they are, and as text for a terminal. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly text: string }
  | { readonly kind: 'nothing' };

/** A view may be shown and the command fail all the same. */
export type CommandResult = View & { readonly failure?: Failure };

/** The fields that were asked for, in their order; all of them where none were. */
export function pick(record: ViewRecord, fields: readonly string[] | undefined): ViewRecord {
  if (!fields) return record;
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(record, field)).map((field) => [field, record[field]]),
  );
}
