import { getHeader } from '../../api/http.js';
import type { AppContext } from '../../app/context.js';
import { checkBaseUrlHint, Failure } from '../../failure.js';
import { formatDuration } from '../../format/duration.js';
import { tryParseJson } from '../../format/json.js';
import { sendMinimalRequest } from '../send-minimal-request.js';

export interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly detail?: string;
  readonly advice?: string;
}

/** Checks with one request whether the service responds and accepts the API key, and compares the clocks. */
export async function checkService(context: AppContext): Promise<readonly Check[]> {
  try {
    const { response, failure } = await sendMinimalRequest(await context.client());
    const clock = checkClock(getHeader(response.headers, 'date'), context.clock.now());
    if (failure) return [toServiceCheck(failure), clock];
    // A captive portal answers with 200, too.
    const isList = Array.isArray(tryParseJson(response.body)?.value);
    return [isList ? { check: 'service', status: 'ok' } : otherService, clock];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [toServiceCheck(error)];
  }
}

/** Returns the failed check for a failure. */
export function toCheck(check: string, { details }: Failure): Check {
  const advice = details.hint !== undefined && { advice: details.hint };
  return { check, status: 'failed', detail: details.message, ...advice };
}

/** A used-up quota is no failed check: the service responded. */
function toServiceCheck(failure: Failure): Check {
  const check = toCheck('service', failure);
  return failure.kind === 'rate-limited' ? { ...check, status: 'warning' } : check;
}

const otherService: Check = {
  check: 'service',
  status: 'failed',
  detail: 'it answers, but not with a list of pets',
  advice: checkBaseUrlHint,
};

const maxSkewMs = 60_000;

function checkClock(date: string | undefined, now: number): Check {
  const skewMs = Date.parse(date ?? '') - now;
  if (Number.isNaN(skewMs)) {
    return { check: 'clock', status: 'ok', detail: 'the service does not tell the time' };
  }
  if (Math.abs(skewMs) <= maxSkewMs) return { check: 'clock', status: 'ok' };
  const direction = skewMs > 0 ? 'behind' : 'ahead of';
  return {
    check: 'clock',
    status: 'warning',
    detail: `this machine is ${formatDuration(Math.abs(skewMs))} ${direction} the service`,
    advice: 'set the clock of this machine',
  };
}
