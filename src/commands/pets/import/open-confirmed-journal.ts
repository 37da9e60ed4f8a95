import type { AppContext, Connection } from '../../../app/context.js';
import type { Files } from '../../../app/files.js';
import { formatCount } from '../../../format/duration.js';
import { type CheckedInput, digestRows } from './check-rows.js';
import { compareImports, type ImportRelation } from './compare-imports.js';
import { confirmImport, confirmRepeatedImport } from './confirm-import.js';
import type { Journal } from './journal.js';
import type { EarlierRuns } from './open-journal.js';
import type { ImportOptions } from './options.js';
import type { ReplayableInput } from './replayable-input.js';
import { formatResumeHint } from './resume-hint.js';

export interface ConfirmedJournalOptions {
  readonly connection: Connection;
  readonly files: Files;
  readonly input: ReplayableInput;
  readonly checked: CheckedInput;
  readonly options: ImportOptions;
}

/**
 * Compares an import with earlier ones and opens its journal: a new one, or that of the import which it resumes. Throws
 * a `Failure` (canceled or usage) if the user does not confirm the import.
 */
export async function openConfirmedJournal(
  context: AppContext,
  { connection: { client, account, dataId }, files, input, checked, options }: ConfirmedJournalOptions,
): Promise<Journal> {
  const { notice } = context.terminal;
  const { journal: path } = options;
  const { format, rowCount, rowsDigest } = checked;
  const { origin } = client;
  const identity = { account, origin, dataId: dataId(), source: input, format, rows: rowCount, rowsDigest };
  const earlier = await files.findEarlierImports(identity, path);
  const { isStream } = input;
  const relation = await compareImports({ ...identity, isStream }, earlier, (counts) =>
    digestRows(input, format, counts),
  );
  const isSame = relation?.kind === 'same';
  const hasValidRows = checked.invalidCount < rowCount;
  if (hasValidRows && relation && !isSame && path === undefined) {
    const formatResume = (journal: string) => formatResumeHint(input, { ...options, journal }, context.flags);
    await confirmRepeatedImport(context, checked, relation, { name: input.name, formatResume });
  }
  const confirm = async (runs: EarlierRuns) => {
    if (runs.isFinished) {
      if (rowCount > 0)
        notice('This file was already imported. To import it again, pass --journal with a new file name.');
      return;
    }
    if (isSame) printAppended(relation, checked, input.name, notice);
    if (hasValidRows && (!relation || isSame)) await confirmImport(context, checked, runs);
  };
  return files.openJournal(identity, path, { confirm, earlier: isSame ? relation.earlier : undefined });
}

/** Prints how many rows follow the rows of the earlier import. */
function printAppended(
  { earlier: { header, isFinished } }: ImportRelation,
  { rowCount }: CheckedInput,
  name: string,
  notice: (text: string) => void,
): void {
  const count = rowCount - (header.rows ?? 0);
  if (count <= 0) return;
  const appended = `${formatCount(count, 'row')} ${count === 1 ? 'was' : 'were'} appended to ${name} since its import.`;
  notice(`${appended} ${isFinished ? 'Only appended rows are added.' : 'The import is resumed with these rows.'}`);
}
