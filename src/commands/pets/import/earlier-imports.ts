import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type EarlierImport, isVoid, readJournal } from './journal-file.js';
import type { ImportIdentity } from './open-journal.js';

/** Finds imports of this file name or content by the same account, and of this content by other accounts of the origin. */
export async function findEarlierImports(
  directory: string,
  { account, origin, dataId, source }: ImportIdentity,
): Promise<readonly EarlierImport[]> {
  const isRelated = ({ header, names }: EarlierImport) =>
    header.account === account
      ? names.has(source.name) || header.digest === source.digest
      : header.origin === origin && header.digest === source.digest;
  const found: EarlierImport[] = [];
  for (const file of await readdir(directory).catch(() => [])) {
    const path = join(directory, file);
    if (!file.endsWith('.journal')) continue;
    // Searching the text is faster than parsing every journal. A journal may be named after an earlier API key.
    const isCandidate =
      file.includes(source.digest.slice(0, 32)) ||
      (await includesText(path, `"name":${JSON.stringify(source.name)}`).catch(() => false));
    if (!isCandidate) continue;
    const earlier = await readEarlierImport(path, dataId);
    if (earlier && isRelated(earlier)) found.push(earlier);
  }
  return found;
}

/** Returns undefined if the file is not a journal, if it is void, or if no row was sent. */
export async function readEarlierImport(path: string, dataId: string | undefined): Promise<EarlierImport | undefined> {
  const content = await readJournal(path).catch(() => undefined);
  if (!content?.header || isVoid(content.header, dataId)) return undefined;
  if (!content.states.some((state) => state !== 0)) return undefined;
  const { header, names, isFinished } = content;
  return { path, header, names, isFinished };
}

async function includesText(path: string, text: string): Promise<boolean> {
  const bytes = Buffer.from(text);
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path)) {
    const searched = Buffer.concat([rest, chunk]);
    if (searched.includes(bytes)) return true;
    rest = searched.subarray(Math.max(0, searched.length - bytes.length));
  }
  return false;
}
