import { expect } from 'vitest';

/** Returns the error of this class that a promise rejects with. */
export async function rejectionOf<Kind extends Error>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never[]) => Kind,
): Promise<Kind> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(kind);
  return error as Kind;
}
