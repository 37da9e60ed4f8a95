import { join } from 'node:path';
import { findOtherJournal, openJournal } from '../local/journal.js';
import { openSource } from '../local/source.js';
import { createFile } from '../local/whole-file.js';
import type { Files } from '../ports/files.js';
import type { World } from './world.js';

/** The files that a command was told to read and write, and what an import keeps beside them. */
export function openFiles(world: World, directory: string): Files {
  const { clock, holder, signal, terminal } = world;
  const stdin = () => terminal.stdin.chunks(signal);
  return {
    openSource: (path) => openSource(path, { directory, stdin, signal }),
    openJournal: async ({ path, account, source, onChanged }) => {
      const own = join(directory, `${account}-${source.digest.slice(0, 32)}.journal`);
      if (path === undefined && source.name !== 'standard input') {
        const other = await findOtherJournal(directory, account, source);
        if (other !== undefined) onChanged(other);
      }
      return openJournal({ path: path ?? own, account, source, lock: { clock, holder } });
    },
    createFile: (path, { force }) => createFile(path, { force, id: String(holder.pid) }),
  };
}
