import type { Clock } from '../clock.js';

/**
 * Repeats work that failed because another process has a file open, for up to a second. Windows then rejects replacing
 * or deleting the file (MoveFileExW). Throws the last error.
 */
export async function retryWhileOpen<Result>(
  firstError: unknown,
  work: () => Result | Promise<Result>,
  clock: Clock,
): Promise<Result> {
  const deadline = clock.now() + maxWaitMs;
  for (let error = firstError; ; ) {
    if (!isOpenElsewhere(error) || clock.now() >= deadline) throw error;
    await clock.sleep(pauseMs);
    try {
      return await work();
    } catch (next) {
      error = next;
    }
  }
}

/** Returns whether the error may mean that another process has the file open. It may also mean missing permissions. */
function isOpenElsewhere(error: unknown): boolean {
  return ['EPERM', 'EACCES', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '');
}

const maxWaitMs = 1_000;
const pauseMs = 10;
