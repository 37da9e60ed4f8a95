import { day } from '../../../contract/clock.js';
import { plans } from '../../../contract/plan.js';
import type { Quota } from '../../../contract/quota.js';
import { formatDuration } from '../../../text/duration.js';

const minute = 60_000;

/**
 * How long so many requests take at a quota, in words; nothing where that is not known. A minute's limit that
 * is a plan's tells of its day, which the service does not until that is nearly used up.
 */
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
  const whole = (isOver ? length : resetAt - now) + (windows - 1) * length;
  const plan = Object.values(plans).find(({ perMinute }) => perMinute === limit);
  const days = length === minute && plan ? Math.ceil(requests / plan.perDay) - 1 : 0;
  return formatDuration(Math.max(whole, days * day));
}
