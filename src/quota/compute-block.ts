import type { RateLimitBlock } from './quota-state.js';
import type { RateLimitInfo } from './rate-limit-info.js';

const minBackoffMs = 1_000;
/** Applies if the service names neither a time nor a reset. */
const minUnguidedBackoffMs = 30_000;
const maxBackoffMs = 3_600_000;

/**
 * Returns the block after a rate-limited response. The first one lasts as long as the service said. Later ones also
 * last until the reset, with exponential backoff. A time that the service named is never shortened.
 */
export function computeBlock(info: RateLimitInfo, streak: number): RateLimitBlock {
  const { quota, retryAt, clockUncertaintyMs, receivedAt } = info;
  const { resetAt = 0 } = quota;
  if (streak === 1 && retryAt !== undefined) {
    const endsAt = Math.max(retryAt, receivedAt + minBackoffMs);
    return { startedAt: receivedAt, endsAt, clockUncertaintyMs: 0, maxJitterMs: 0 };
  }
  const isGuided = retryAt !== undefined || resetAt > receivedAt;
  const baseMs = isGuided ? minBackoffMs : minUnguidedBackoffMs;
  const backoffMs = Math.min(maxBackoffMs, baseMs * 2 ** Math.min(streak - 1, 30));
  const endsAt = Math.max(retryAt ?? 0, resetAt, receivedAt + backoffMs);
  const maxJitterMs = 0.1 * (endsAt - receivedAt) + 1_000;
  return { startedAt: receivedAt, endsAt, clockUncertaintyMs, maxJitterMs };
}
