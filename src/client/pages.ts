import { type HttpResponse, headerOf } from '../contract/exchange.js';
import { findLink } from '../contract/link.js';
import { Failure } from '../ports/failure.js';

/** True where an answer links to a page that follows, wherever that link leads. */
export function hasNext({ headers }: HttpResponse): boolean {
  return findLink(headerOf(headers, 'link'), 'next') !== undefined;
}

/**
 * The path and query of the page that follows an answer (RFC 8288, relation `next`), or nothing where it is
 * the last. Fails (service) where the link leads to another origin, since the key must not go there.
 */
export function nextTarget(
  { headers }: HttpResponse,
  { origin, target }: { origin: string; target: string },
): string | undefined {
  const link = findLink(headerOf(headers, 'link'), 'next');
  if (link === undefined) return undefined;
  const base = new URL(origin + target);
  if (!URL.canParse(link, base.href)) throw badLink('is no address');
  const url = new URL(link, base);
  if (url.origin !== base.origin) throw badLink('leads to another origin');
  return url.pathname + url.search;
}

/** Fails (service) where a page comes a second time: its links would be followed for ever. */
export function refuseLoop(seen: Set<string>, target: string): void {
  if (seen.has(target)) throw badLink('leads back to a page that was read');
  seen.add(target);
}

function badLink(problem: string): Failure {
  return new Failure('service', {
    code: 'bad_next_link',
    message: `the link to the next page ${problem}`,
    hint: 'leave --all or --paginate out to see the first page',
  });
}
