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
  const isRelated = ({ header, headers }: EarlierImport) => {
    const hasContent = headers.some(({ digest }) => digest === source.digest);
    if (header.account !== account) return header.origin === origin && hasContent;
    return hasContent || headers.some(({ name }) => name === source.name);
  };
  const found: EarlierImport[] = [];
  for (const file of await readdir(directory).catch(() => [])) {
    const path = join(directory, file);
    if (!file.endsWith('.journal')) continue;
    // Searching the text is faster than parsing every journal. A journal is named after the last content of its input.
    const texts = [`"digest":"${source.digest}"`, `"name":${JSON.stringify(source.name)}`];
    if (!(await includesAny(path, texts).catch(() => false))) continue;
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
  const { header, headers, isFinished } = content;
  return { path, header, headers, isFinished };
}

async function includesAny(path: string, texts: readonly string[]): Promise<boolean> {
  const longest = Math.max(...texts.map((text) => Buffer.byteLength(text)));
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path)) {
    const searched = Buffer.concat([rest, chunk]);
    if (texts.some((text) => searched.includes(text))) return true;
    rest = searched.subarray(Math.max(0, searched.length - longest));
  }
  return false;
}
