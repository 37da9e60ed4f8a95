const longestAdvised = 3_600_000;

/**
 * What to do where the quota is used up for `wait` more milliseconds: what `known` says of this service, and a
 * longer `--max-wait` where that is what ended it and nobody would wait for hours.
 */
export function createLimitHint(
  known: string | undefined,
  maxWait: number,
): (wait: number) => string | undefined {
  return (wait) => {
    const isAdvised = wait > maxWait && wait <= longestAdvised;
    const longer = isAdvised ? `--max-wait ${Math.ceil(wait / 1000)} waits for it` : undefined;
    return [known, longer].filter((part) => part !== undefined).join('; ') || undefined;
  };
}
