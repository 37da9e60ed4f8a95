import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalOptions } from './journal.js';
import { isVoid, readHeader, readJournal } from './journal-file.js';

/** Finds an unfinished import of the same file by the same account, begun before the file changed. */
export async function findOtherJournal(
  directory: string,
  { account, dataId, source: { name, digest } }: Pick<JournalOptions, 'account' | 'dataId' | 'source'>,
): Promise<string | undefined> {
  const files = await readdir(directory).catch(() => []);
  for (const file of files) {
    if (!file.startsWith(account) || !file.endsWith('.journal')) continue;
    const path = join(directory, file);
    const header = await readHeader(path).catch(() => undefined);
    if (header?.name !== name || header.digest === digest || isVoid(header, dataId)) continue;
    const content = await readJournal(path).catch(() => undefined);
    if (content && !content.isFinished) return path;
  }
  return undefined;
}
