import { join, resolve } from 'node:path';
import { findOtherJournal, type Journal, openJournal } from '../commands/pets/import/journal.js';
import type { ReplayableInput } from '../commands/pets/import/replayable-input.js';
import { openReplayableInput, stdinName } from '../commands/pets/import/replayable-input.js';
import { type AtomicFile, createAtomicFile } from '../config/atomic-file.js';
import { createLocks } from '../config/lock.js';
import { makeDirectory } from '../config/make-directory.js';
import type { Runtime } from './runtime.js';

/** The files that a command was told to read and write. */
export interface Files {
  /** `-` is standard input. */
  openInput(path: string): Promise<ReplayableInput>;
  /**
   * The journal of an import, its own until it is closed. Fails (usage) where the file belongs to another
   * import, (system) where another process has it.
   */
  openJournal(options: {
    /** Chosen by the user; else it is found by account and input. */
    readonly path?: string;
    /** Origin and key, digested. */
    readonly account: string;
    readonly source: Pick<ReplayableInput, 'name' | 'digest'>;
    /** How the input is read: another reading of it is another import. */
    readonly format: string;
    /** Told where an import of the same file, changed since, was not finished. */
    readonly onChanged: (path: string) => void;
  }): Promise<Journal>;
  /** Fails (usage) where there is such a file already, unless `force`. */
  createFile(path: string, options: { readonly force: boolean }): Promise<AtomicFile>;
}

/** The files that a command was told to read and write, and what an import keeps beside them. */
export function openFiles(runtime: Runtime, directory: string): Files {
  const { lockOwner, signal, terminal, deferSignals } = runtime;
  const id = String(lockOwner.pid);
  const stdin = () => terminal.stdin.chunks(signal);
  return {
    openInput: (path) => openReplayableInput(path, { directory, makeDirectory, id, stdin, signal }),
    openJournal: async ({ path, account, source: { name, digest }, format, onChanged }) => {
      // One file has many names.
      const source = { name: name === stdinName ? name : resolve(name), digest };
      const own = join(directory, `${account}-${source.digest.slice(0, 32)}.journal`);
      if (path === undefined && name !== stdinName) {
        const other = await findOtherJournal(directory, account, source);
        if (other !== undefined) onChanged(other);
      }
      return openJournal({
        path: path ?? own,
        account,
        source,
        format,
        locks: createLocks(runtime),
      });
    },
    createFile: async (path, { force }) => {
      const file = await createAtomicFile(path, {
        force,
        pid: lockOwner.pid,
        isProcessAlive: lockOwner.isProcessAlive,
      });
      // A signal ends in order whoever writes it, so that no half of a file stays.
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
