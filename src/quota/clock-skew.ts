import { type Headers, headerOf } from '../api/http.js';
import { parseHttpDate } from '../api/http-date.js';

/**
 * How the service's clock differs from ours, in milliseconds. By our clock a time of the service is at the latest
 * that time less `skew` plus `doubt`.
 */
export interface Skew {
  readonly skew: number;
  readonly doubt: number;
}

/**
 * The skew by an answer's `Date`: 0 where the clocks agree as far as whole seconds between sending and receiving
 * can tell, or where there is no date.
 */
export function skewOf(headers: Headers, sentAt: number, receivedAt: number): Skew {
  const date = parseHttpDate(headerOf(headers, 'date'), receivedAt);
  if (date === undefined) return { skew: 0, doubt: 0 };
  const least = date - receivedAt;
  const most = date + 1000 - sentAt;
  return least <= 0 && most >= 0
    ? { skew: 0, doubt: receivedAt - date }
    : { skew: least, doubt: 0 };
}
