import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findEarlierImports, readEarlierImport } from '../commands/pets/import/earlier-imports.js';
import type { Journal } from '../commands/pets/import/journal.js';
import type { EarlierImport } from '../commands/pets/import/journal-file.js';
import { type ImportIdentity, type JournalOptions, openJournal } from '../commands/pets/import/open-journal.js';
import { openReplayableInput, type ReplayableInput, stdinName } from '../commands/pets/import/replayable-input.js';
import {
  type AtomicFile,
  type AtomicFileOptions,
  createAtomicFile,
  createLocks,
  makeDirectory,
} from '../config/files.js';
import type { Input } from '../terminal/input.js';
import type { Runtime } from './runtime.js';

/** The files that a command reads and writes. */
export interface Files {
  /** Opens a file, or standard input for `-`. */
  openInput(path: string): Promise<ReplayableInput>;
  /**
   * Finds earlier imports that may have added the same pets. Returns none if the import has a journal, since it is then
   * resumed. With `--journal`, its file is the only candidate.
   */
  findEarlierImports(identity: ImportIdentity, path: string | undefined): Promise<readonly EarlierImport[]>;
  /**
   * Opens and locks the journal of an import; `path` is the value of `--journal`. Throws a usage error if the file
   * belongs to another import, and a failure (system) if another process holds it.
   */
  openJournal(
    identity: ImportIdentity,
    path: string | undefined,
    options: Pick<JournalOptions, 'earlier' | 'confirm'>,
  ): Promise<Journal>;
  /** Throws a usage error if the file exists, unless `force`. */
  createFile(path: string, options: Pick<AtomicFileOptions, 'force'>): Promise<AtomicFile>;
}

export function openFiles(runtime: Runtime, directory: string, openStdin: () => Input): Files {
  const { createUuid, clock, signal, deferSignals } = runtime;
  const stdin = () => openStdin().chunks(signal);
  const defaultPath = ({ account, source }: ImportIdentity) =>
    join(directory, `${account}-${source.digest.slice(0, 32)}.journal`);
  return {
    openInput: (path) => openReplayableInput(path, { directory, makeDirectory, id: createUuid(), stdin, signal }),
    findEarlierImports: async (identity, path) => {
      if (path === undefined) {
        return existsSync(defaultPath(identity)) ? [] : findEarlierImports(directory, resolveName(identity));
      }
      const earlier = await readEarlierImport(path, identity.dataId);
      const isOther = earlier !== undefined && earlier.header.digest !== identity.source.digest;
      return isOther ? [earlier] : [];
    },
    openJournal: (identity, path = defaultPath(identity), options) =>
      openJournal({
        ...resolveName(identity),
        ...options,
        path,
        locks: createLocks(runtime),
        createUuid,
        platform: runtime.platform,
      }),
    createFile: async (path, options) => {
      const file = await createAtomicFile(path, { ...options, clock });
      // A signal aborts writing gracefully, so that no partial file remains.
      const release = deferSignals(file.discardSync);
      return {
        write: async (content) => {
          signal.throwIfAborted();
          await file.write(content);
        },
        commit: () => file.commit().finally(release),
        discard: () => file.discard().finally(release),
        discardSync: file.discardSync,
      };
    },
  };
}

/** The same file may be given by several relative paths. */
function resolveName({ source: { name, digest }, ...identity }: ImportIdentity): ImportIdentity {
  return { ...identity, source: { name: name === stdinName ? name : resolve(name), digest } };
}
