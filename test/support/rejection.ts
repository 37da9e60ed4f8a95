import { expect } from 'vitest';

/** The error of this kind that a promise rejects with. */
export async function rejectionOf<Kind extends Error>(
  promise: Promise<unknown>,
  kind: abstract new (...words: never[]) => Kind,
): Promise<Kind> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(kind);
  return error as Kind;
}
