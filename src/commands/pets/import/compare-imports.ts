import type { EarlierImport } from './journal-file.js';
import type { ImportIdentity } from './open-journal.js';
import type { ReplayableInput } from './replayable-input.js';

/** What an import has in common with an earlier one. */
export interface ImportRelation {
  /** `same`: the input has the rows of the earlier import, or of one of its runs, and may have more rows after them. */
  readonly kind: 'same' | 'changed' | 'other-key';
  readonly earlier: EarlierImport;
}

/**
 * Compares an import with earlier ones. `digestRows` resolves to the digests of the first rows, for some numbers of
 * rows. Returns undefined if they have nothing in common.
 */
export async function compareImports(
  {
    account,
    isStream,
    format,
    rows,
    source,
  }: Pick<ImportIdentity, 'account' | 'format' | 'rows' | 'source'> & Pick<ReplayableInput, 'isStream'>,
  earlier: readonly EarlierImport[],
  digestRows: (counts: ReadonlySet<number>) => Promise<ReadonlyMap<number, string>>,
): Promise<ImportRelation | undefined> {
  const sameFile = earlier.filter(({ header }) => header.account === account);
  const sameFormat = sameFile.filter(({ header }) => header.format === format);
  const shorter = sameFormat
    .filter(({ header }) => header.rows <= rows)
    .sort((one, other) => other.header.rows - one.header.rows);
  if (shorter.length > 0) {
    const digests = await digestRows(new Set(shorter.map(({ header }) => header.rows)));
    const appended = shorter.find(({ header }) => digests.get(header.rows) === header.rowsDigest);
    if (appended) return { kind: 'same', earlier: appended };
  }
  // A copy of an input from before rows were appended to that one.
  const longer = sameFormat.find(({ headers }) => headers.some(({ digest }) => digest === source.digest));
  if (longer) return { kind: 'same', earlier: longer };
  // Pipes without common rows have nothing to do with each other.
  const [changed] = isStream ? [] : sameFile;
  if (changed) return { kind: 'changed', earlier: changed };
  const otherKey = earlier.find(({ header }) => header.account !== account);
  return otherKey && { kind: 'other-key', earlier: otherKey };
}
