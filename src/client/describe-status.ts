import { getHeader, type HttpResponse } from '../api/http.js';
import { parseHttpDate } from '../api/http-date.js';
import { dayMs } from '../clock.js';
import { formatSunsetDate, formatUtcDate } from './response.js';

/** Returns the message for an error response without a message. */
export function describeStatus(status: number): string {
  return statusMessages.get(status) ?? (status >= 500 ? 'the service failed' : 'the service rejected the request');
}

const statusMessages: ReadonlyMap<number, string> = new Map([
  [401, 'the service rejected the API key'],
  [403, 'the service denied access'],
  [404, 'the service found nothing at this URL'],
  [410, 'the service has removed this operation'],
  [429, 'the service rate limited this API key'],
]);

/** Appends the status unless the message contains it as a whole number. After a 410, also the dates that explain it. */
export function appendStatus(message: string, { status, headers }: HttpResponse, now: number): string {
  const hasStatus = new RegExp(`(?<!\\d[.,]?)${status}(?![.,]?\\d)`).test(message);
  const details = [...(hasStatus ? [] : [`HTTP ${status}`]), ...(status === 410 ? describeRemoval(headers, now) : [])];
  return details.length === 0 ? message : `${message} (${details.join(', ')})`;
}

/**
 * Returns the announced removal date, and the service's date if it differs from the local one by a day or more: the
 * removal depends on the service's clock.
 */
function describeRemoval(headers: HttpResponse['headers'], now: number): readonly string[] {
  const removal = formatSunsetDate(headers, now);
  const serviceTime = parseHttpDate(getHeader(headers, 'date'), now);
  const isSkewed = serviceTime !== undefined && Math.abs(serviceTime - now) >= dayMs;
  return [
    ...(removal === undefined ? [] : [`removal date ${removal}`]),
    ...(isSkewed ? [`service date ${formatUtcDate(serviceTime)}`] : []),
  ];
}
