import { findPlanByLimit, plans } from '../../../api/plan.js';
import { classifyWindow, type Quota } from '../../../api/rate-limit-headers.js';
import { day } from '../../../clock.js';
import { formatDuration } from '../../../format/duration.js';

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
  const kind = classifyWindow(resetAt, now);
  const length = kind === 'day' ? day : minute;
  const windows = Math.ceil((requests - left) / limit);
  const whole = (isOver ? length : resetAt - now) + (windows - 1) * length;
  const plan = kind === 'minute' ? findPlanByLimit(limit, kind) : undefined;
  const days = plan ? Math.ceil(requests / plans[plan].perDay) - 1 : 0;
  return formatDuration(Math.max(whole, days * day));
}
