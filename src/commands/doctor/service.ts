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

export function ok(check: string, detail?: string): Check {
  return { check, status: 'ok', ...(detail !== undefined && { detail }) };
}

export function warning(check: string, detail: string, advice?: string): Check {
  return { check, status: 'warning', detail, ...(advice !== undefined && { advice }) };
}

/** Returns the failed check for a failure. */
export function toCheck(check: string, { details }: Failure): Check {
  return { ...warning(check, details.message, details.hint), status: 'failed' };
}

/** Checks with one request whether the service responds and accepts the API key, and compares the clocks. */
export async function checkService(context: AppContext): Promise<readonly Check[]> {
  try {
    const { response, failure } = await sendMinimalRequest(await context.client());
    const clock = checkClock(getHeader(response.headers, 'date'), context.clock.now());
    if (failure) return [toServiceCheck(failure), clock];
    // A captive portal answers with 200, too.
    const isList = Array.isArray(tryParseJson(response.body)?.value);
    const other = warning('service', 'it answers, but not with a list of pets', checkBaseUrlHint);
    return [isList ? ok('service') : { ...other, status: 'failed' }, clock];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [toServiceCheck(error)];
  }
}

function toServiceCheck(failure: Failure): Check {
  const check = toCheck('service', failure);
  // A used-up quota proves that the service responds.
  return failure.kind === 'rate-limited' ? { ...check, status: 'warning' } : check;
}

function checkClock(date: string | undefined, now: number): Check {
  const skewMs = Date.parse(date ?? '') - now;
  if (Number.isNaN(skewMs)) return ok('clock', 'the service does not tell the time');
  if (Math.abs(skewMs) <= 60_000) return ok('clock');
  const difference = `${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'}`;
  const detail = `this machine is ${difference} the service`;
  return warning('clock', detail, 'set the clock of this machine');
}
