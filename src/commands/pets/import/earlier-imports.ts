import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type EarlierImport, isVoid, type JournalHeader, readHeader, readJournal } from './journal-file.js';
import type { ImportIdentity } from './open-journal.js';

/** Finds imports of this file name by the same account, and of this content by other accounts of the same origin. */
export async function findEarlierImports(
  directory: string,
  { account, origin, dataId, source }: ImportIdentity,
): Promise<readonly EarlierImport[]> {
  const isRelated = (header: JournalHeader | undefined) =>
    header?.account === account
      ? header.name === source.name
      : header?.origin === origin && header.digest === source.digest;
  const found: EarlierImport[] = [];
  for (const file of await readdir(directory).catch(() => [])) {
    const path = join(directory, file);
    // A journal of another account is read only if its file name contains the digest.
    const isCandidate = file.startsWith(account) || file.includes(source.digest.slice(0, 32));
    if (!file.endsWith('.journal') || !isCandidate) continue;
    const first = await readHeader(path).catch(() => undefined);
    if (first?.account === account && first.name !== source.name) continue;
    const earlier = await readEarlierImport(path, dataId);
    if (earlier && isRelated(earlier.header)) found.push(earlier);
  }
  return found;
}

/** Returns undefined if the file is not a journal, if it is void, or if no row was sent. */
export async function readEarlierImport(path: string, dataId: string | undefined): Promise<EarlierImport | undefined> {
  const content = await readJournal(path).catch(() => undefined);
  if (!content?.header || isVoid(content.header, dataId)) return undefined;
  if (!content.states.some((state) => state !== 0)) return undefined;
  return { path, header: content.header, isFinished: content.isFinished };
}
