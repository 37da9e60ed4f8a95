import type { Quota } from '../../../contract/quota.js';
import { formatDuration } from '../../../text/duration.js';

const minute = 60_000;
const day = 86_400_000;

/** How long so many requests take at a quota, in words; nothing where that is not known. */
export function describeTime(
  requests: number,
  { limit, remaining = 0, resetAt }: Quota = {},
  now: number,
): string | undefined {
  if (!limit || resetAt === undefined) return undefined;
  const isOver = resetAt <= now;
  const left = isOver ? limit : remaining;
  if (requests <= left) return 'a moment';
  const length = resetAt - now > 1.5 * minute ? day : minute;
  const windows = Math.ceil((requests - left) / limit);
  return formatDuration((isOver ? length : resetAt - now) + (windows - 1) * length);
}
