import { getHeader } from '../../api/http.js';
import type { AppContext } from '../../app/context.js';
import { checkBaseUrlHint, Failure } from '../../failure.js';
import { formatDuration } from '../../format/duration.js';
import { tryParseJson } from '../../format/json.js';
import { leastRequest } from '../least-request.js';

export interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly detail?: string;
  readonly advice?: string;
}

/** One request: whether the service answers, takes the key, and has the time that this machine has. */
export async function checkService(context: AppContext): Promise<readonly Check[]> {
  try {
    const client = await context.client();
    const { response, failure } = await client.sendRaw(leastRequest(client));
    const clock = checkClock(getHeader(response.headers, 'date'), context.clock.now());
    if (failure) return [failed(failure), clock];
    return [
      Array.isArray(tryParseJson(response.body)?.value)
        ? { check: 'service', status: 'ok' }
        : notTheStore,
      clock,
    ];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [failed(error)];
  }
}

/** A page of a hotel's network answers with 200, too. */
const notTheStore: Check = {
  check: 'service',
  status: 'failed',
  detail: 'it answers, but not with a list of pets',
  advice: checkBaseUrlHint,
};

const tolerance = 60_000;

function checkClock(date: string | undefined, now: number): Check {
  const skew = date === undefined ? Number.NaN : Date.parse(date) - now;
  if (Number.isNaN(skew)) {
    return { check: 'clock', status: 'ok', detail: 'the service does not tell the time' };
  }
  if (Math.abs(skew) <= tolerance) return { check: 'clock', status: 'ok' };
  const direction = skew > 0 ? 'behind' : 'ahead of';
  return {
    check: 'clock',
    status: 'warning',
    detail: `this machine is ${formatDuration(Math.abs(skew))} ${direction} the service`,
    advice: 'set the clock of this machine',
  };
}

function failed({ details, kind }: Failure): Check {
  // A used up quota proves that the service answers.
  const status = kind === 'rate-limited' ? 'warning' : 'failed';
  return {
    check: 'service',
    status,
    detail: details.message,
    ...(details.hint !== undefined && { advice: details.hint }),
  };
}
