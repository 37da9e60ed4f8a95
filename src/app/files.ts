import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findOtherJournal } from '../commands/pets/import/find-other-journal.js';
import { type Journal, openJournal } from '../commands/pets/import/journal.js';
import { openReplayableInput, type ReplayableInput, stdinName } from '../commands/pets/import/replayable-input.js';
import { type AtomicFile, createAtomicFile } from '../config/atomic-file.js';
import { createLocks, makeDirectory } from '../config/lock.js';
import type { Runtime } from './runtime.js';

/** The files that a command reads and writes. */
export interface Files {
  /** Opens a file, or standard input for `-`. */
  openInput(path: string): Promise<ReplayableInput>;
  /**
   * Opens and locks the journal of an import. Throws a usage error if the file belongs to another import, and a
   * failure (system) if another process holds it.
   */
  openJournal(options: {
    /** The value of `--journal`; by default account and input determine the file. */
    readonly path?: string;
    /** A digest of origin and API key. */
    readonly account: string;
    /** The id of the data in the sandbox. */
    readonly dataId: string | undefined;
    readonly source: Pick<ReplayableInput, 'name' | 'digest'>;
    /** The format of the input, which is part of the import's identity. */
    readonly format: string;
    /** Receives the journal of an unfinished import of an earlier version of the file. */
    readonly onChanged: (path: string) => void;
  }): Promise<Journal>;
  /** Resolves to the SHA-256 of a regular file in hexadecimal digits; undefined if none can be read. */
  findDigest(path: string): Promise<string | undefined>;
  /** Throws a usage error if the file exists, unless `force`. */
  createFile(path: string, options: { readonly force: boolean }): Promise<AtomicFile>;
}

export function openFiles(runtime: Runtime, directory: string): Files {
  const { lockOwner, signal, terminal, deferSignals } = runtime;
  const id = String(lockOwner.pid);
  const stdin = () => terminal.stdin.chunks(signal);
  return {
    openInput: (path) => openReplayableInput(path, { directory, makeDirectory, id, stdin, signal }),
    openJournal: async ({ path, account, dataId, source: { name, digest }, format, onChanged }) => {
      // The same file may be given by several relative paths.
      const source = { name: name === stdinName ? name : resolve(name), digest };
      const defaultPath = join(directory, `${account}-${source.digest.slice(0, 32)}.journal`);
      // An import that has a journal resumes; others of the same file name do not matter.
      if (path === undefined && name !== stdinName && !existsSync(defaultPath)) {
        const other = await findOtherJournal(directory, { account, dataId, source });
        if (other !== undefined) onChanged(other);
      }
      const locks = createLocks(runtime);
      return openJournal({
        path: path ?? defaultPath,
        ...{ account, dataId, source, format, locks, createUuid: runtime.createUuid },
      });
    },
    findDigest: async (path) => {
      try {
        // Reading a pipe would wait for a writer.
        if (!statSync(path).isFile()) return undefined;
        const hash = createHash('sha256');
        for await (const chunk of createReadStream(path)) hash.update(chunk);
        return hash.digest('hex');
      } catch {
        return undefined;
      }
    },
    createFile: async (path, { force }) => {
      const file = await createAtomicFile(path, { force, ...lockOwner });
      // A signal aborts writing gracefully, so that no partial file remains.
      const release = deferSignals();
      return {
        write: async (content) => {
          signal.throwIfAborted();
          await file.write(content);
        },
        commit: () => file.commit().finally(release),
        discard: () => file.discard().finally(release),
      };
    },
  };
}
