/**
 * Runs `work` as a user to whom file modes apply, if this user is root. Files that it opens and makes are those of that
 * user. The directory of the checkout may be closed to that user, so `work` must not import modules.
 */
export async function withoutRoot<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(12_345);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
