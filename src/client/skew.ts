import { type Headers, headerOf } from '../contract/exchange.js';
import { parseHttpDate } from './http-date.js';

/**
 * How far the service's clock is ahead of ours, in milliseconds, from an answer's `Date`: 0 where they agree
 * as far as whole seconds between sending and receiving can tell, or where there is no date. A time of the
 * service less its skew is a time of ours, and never an earlier one.
 */
export function skewOf(headers: Headers, sentAt: number, receivedAt: number): number {
  const date = parseHttpDate(headerOf(headers, 'date'), receivedAt);
  if (date === undefined) return 0;
  const least = date - receivedAt;
  const most = date + 1000 - sentAt;
  return least <= 0 && most >= 0 ? 0 : least;
}
