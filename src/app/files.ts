import { join, resolve } from 'node:path';
import { findOtherJournal, openJournal } from '../commands/pets/import/journal.js';
import { openSource, stdinName } from '../commands/pets/import/replayable-input.js';
import { createFile } from '../config/atomic-file.js';
import { makeDirectory } from '../config/directory.js';
import type { Files } from '../config/file-types.js';
import { createLocks } from '../config/lock.js';
import type { World } from './runtime.js';

/** The files that a command was told to read and write, and what an import keeps beside them. */
export function openFiles(world: World, directory: string): Files {
  const { clock, holder, signal, terminal } = world;
  const id = String(holder.pid);
  const stdin = () => terminal.stdin.chunks(signal);
  return {
    openSource: (path) => openSource(path, { directory, makeDirectory, id, stdin, signal }),
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
        locks: createLocks({ clock, holder }),
      });
    },
    createFile: async (path, { force }) => {
      const file = await createFile(path, { force, id: holder.pid, lives: holder.lives });
      // A signal ends in order whoever writes it, so that no half of a file stays.
      const release = world.hold();
      return {
        write: async (content) => {
          signal.throwIfAborted();
          await file.write(content);
        },
        commit: () => file.commit().finally(release),
        abandon: () => file.abandon().finally(release),
      };
    },
  };
}
