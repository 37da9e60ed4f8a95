import type { Clock } from '../clock.js';
import type { Transaction } from './batch-transactions.js';
import { mergeCounters } from './merge-counters.js';
import { migrations } from './migrations.js';
import { type DatabaseError, type SqlRow, type Statement, sql } from './sql.js';

export interface MemoryCountersOptions {
  readonly clock: Clock;
  /** Commits a batch to the file in one transaction, in which `runFirst` runs before the batch. */
  readonly commitToFile: (batch: readonly Transaction[], runFirst: () => void) => readonly (readonly SqlRow[])[];
  readonly mapError: (error: unknown) => DatabaseError;
  readonly runInFile: (statement: Statement) => readonly SqlRow[];
  /** Runs a statement in an empty database in memory. */
  readonly runInMemory: (statement: Statement) => readonly SqlRow[];
  /** Called when the first request is counted in memory. */
  readonly onFull: (error: DatabaseError) => void;
}

/**
 * Counts requests in memory while the disk is full, starting with the stored counters. A batch that only counts tries the
 * file once per second; any other batch always tries it. After the first successful commit, each commit also stores
 * counters from memory: those of the subjects that it counts, then others until there are 500.
 */
export function createMemoryCounters(options: MemoryCountersOptions) {
  const { clock, commitToFile, mapError, runInFile, runInMemory, onFull } = options;
  // The stored counters of each subject in memory, as they were when counting in memory started.
  const startRows = new Map<string, SqlRow | undefined>();
  for (const text of migrations.flat()) runInMemory(sql([text]));
  let failure: { readonly error: DatabaseError; readonly at: number } | undefined;

  const canTryFile = () => {
    const age = failure ? clock.now() - failure.at : retryIntervalMs;
    return age < 0 || age >= retryIntervalMs;
  };

  /** Commits the batch and the counters of these subjects. Throws if the disk is full. */
  const commitWithCounters = (batch: readonly Transaction[], subjects: ReadonlySet<string>) => {
    const results = commitToFile(batch, () => {
      for (const subject of subjects) addToFile(subject);
    });
    for (const subject of subjects) {
      runInMemory(sql`DELETE FROM meters WHERE subject = ${subject}`);
      startRows.delete(subject);
    }
    return results;
  };

  const addToFile = (subject: string) => {
    const [stored] = runInFile(selectRow(subject));
    const [counted] = runInMemory(selectRow(subject));
    if (!counted) return;
    const merged = mergeCounters(stored, startRows.get(subject), counted, BigInt(clock.now()));
    runInFile(replaceRow(subject, merged));
  };

  const chooseSubjects = (batch: readonly Transaction[]) => {
    const chosen = new Set<string>();
    // One is enough to show that there is room. Without any, a transaction that changes nothing would succeed.
    const maxSubjects = failure ? 1 : maxSubjectsPerCommit;
    for (const { subject } of batch) if (subject !== undefined && startRows.has(subject)) chosen.add(subject);
    for (const subject of startRows.keys()) {
      if (chosen.size >= maxSubjects) break;
      chosen.add(subject);
    }
    return chosen;
  };

  const countInMemory = (batch: readonly Transaction[], error: DatabaseError) => {
    // Checked before the first statement runs: if a batch fails, its transactions run again.
    for (const { subject } of batch) {
      if (subject === undefined || (startRows.size >= maxMemorySubjects && !startRows.has(subject))) throw error;
    }
    if (startRows.size === 0) onFull(error);
    for (const { subject = '' } of batch) {
      if (startRows.has(subject)) continue;
      const [stored] = runInFile(selectRow(subject));
      if (stored) runInMemory(replaceRow(subject, stored));
      startRows.set(subject, stored);
    }
    return batch.map(({ statements }) => statements.map(runInMemory).at(-1) ?? []);
  };

  return {
    /** Commits to the file or, if the disk is full, counts in memory. Throws if a transaction does not only count. */
    commit: (batch: readonly Transaction[]) => {
      const isOnlyCounting = batch.every(({ subject }) => subject !== undefined);
      if (failure && isOnlyCounting && !canTryFile()) return countInMemory(batch, failure.error);
      try {
        const results = commitWithCounters(batch, chooseSubjects(batch));
        failure = undefined;
        return results;
      } catch (thrown) {
        const error = mapError(thrown);
        if (error.reason !== 'full') throw error;
        failure = { error, at: clock.now() };
        return countInMemory(batch, error);
      }
    },
    has: (subject: string) => startRows.has(subject),
    run: runInMemory,
    /** Adds the counters in memory to the file if the disk has room again. */
    close: () => {
      try {
        commitWithCounters([], new Set(startRows.keys()));
      } catch {
        // They are lost with this process.
      }
    },
  };
}

const retryIntervalMs = 1_000;
const maxSubjectsPerCommit = 500;

/** Bounds the memory: other subjects get an error while the disk is full. */
const maxMemorySubjects = 50_000;

function selectRow(subject: string): Statement {
  return sql`
    SELECT minute_used, minute_end, day_used, day_end, refusals, bans, banned_until, verdict
    FROM meters WHERE subject = ${subject}`;
}

function replaceRow(subject: string, row: SqlRow): Statement {
  const value = (name: string) => row[name] ?? null;
  return sql`
    INSERT OR REPLACE INTO meters
      (subject, minute_used, minute_end, day_used, day_end, refusals, bans, banned_until, verdict)
    VALUES (${subject}, ${value('minute_used')}, ${value('minute_end')}, ${value('day_used')}, ${value('day_end')},
      ${value('refusals')}, ${value('bans')}, ${value('banned_until')}, ${value('verdict')})`;
}
