/** A file that can be read more than once; standard input is kept aside for that. */
export interface Source {
  /** For messages: its path, or `standard input`. */
  readonly name: string;
  /** The whole of it, from its start. Fails (usage) where it cannot be read, or has changed since it was opened. */
  read(): AsyncIterable<Uint8Array>;
  /** SHA-256 in hexadecimal digits, of what was read whole once. */
  readonly digest: string;
  close(): Promise<void>;
}

/** What became of a row. A row that was begun and has no outcome may have been added: it is in doubt. */
export type RowState = 'new' | 'begun' | 'added' | 'rejected';

/** What is known of an import, row by row, kept where an interruption does not reach it. */
export interface Journal {
  readonly path: string;
  /** How many rows were sent before now. */
  readonly settled: number;
  /** All was sent that could be. */
  readonly isFinished: boolean;
  stateOf(row: number): RowState;
  /** Why the service refused a row. */
  reasonOf(row: number): string | undefined;
  /** Resolves once it is on disk that the row is about to be sent. */
  begin(row: number): Promise<void>;
  /** The row was surely not carried out. */
  takeBack(row: number): void;
  added(row: number, id: string): void;
  rejected(row: number, reason: string): void;
  /** True for a file that an earlier run of this import has made for its rejects. */
  isForRejects(path: string): boolean;
  keepRejects(path: string): void;
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** A file that appears whole under its name, or not at all. */
export interface WholeFile {
  write(content: string | Uint8Array): Promise<void>;
  /** Puts it under its name. */
  commit(): Promise<void>;
  /** Leaves nothing behind, where it was not committed. */
  abandon(): Promise<void>;
}

/** The files that a command was told to read and write. */
export interface Files {
  /** `-` is standard input. */
  openSource(path: string): Promise<Source>;
  /**
   * The journal of an import, its own until it is closed. Fails (usage) where the file belongs to another
   * import, (system) where another process has it.
   */
  openJournal(options: {
    /** Chosen by the user; else it is found by account and input. */
    readonly path?: string;
    /** Origin and key, digested. */
    readonly account: string;
    readonly source: Pick<Source, 'name' | 'digest'>;
    /** How the input is read: another reading of it is another import. */
    readonly format: string;
    /** Told where an import of the same file, changed since, was not finished. */
    readonly onChanged: (path: string) => void;
  }): Promise<Journal>;
  /** Fails (usage) where there is such a file already, unless `force`. */
  createFile(path: string, options: { readonly force: boolean }): Promise<WholeFile>;
}
