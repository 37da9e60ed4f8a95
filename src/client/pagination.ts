import { findLink, getHeader, type HttpRequest, type HttpResponse } from '../api/http.js';
import { Failure, nothingSent } from '../failure.js';
import { formatCount } from '../format/duration.js';

/**
 * Returns path and query of the next page (RFC 8288, relation `next`), or nothing on the last page. Throws (service)
 * if the link points to another origin, which must not receive the API key.
 */
export function parseNextTarget(
  { headers }: HttpResponse,
  { origin, target }: Pick<HttpRequest, 'origin' | 'target'>,
): string | undefined {
  const link = findLink(getHeader(headers, 'link'), 'next');
  if (link === undefined) return undefined;
  const base = new URL(origin + target);
  if (!URL.canParse(link, base.href)) throw badLink('is not a valid URL');
  const url = new URL(link, base);
  if (url.origin !== base.origin) throw badLink('points to another origin');
  return url.pathname + url.search;
}

/**
 * Yields the first page and all that follow. Throws (service) on a link back to an earlier page, which would never end.
 * After an error of `fetchPage`, `next()` requests the same page again, so this is an iterator by hand: a generator ends
 * with its first error.
 */
export function followPages<Page extends { readonly response: HttpResponse }>(
  first: HttpRequest,
  fetchPage: (request: HttpRequest) => Promise<Page>,
): AsyncIterableIterator<Page> {
  const seen = new Set<string>();
  let findTarget = (): string | undefined => first.target;
  return {
    next: async () => {
      const target = findTarget();
      if (target === undefined) return { done: true, value: undefined };
      if (seen.has(target)) throw badLink('points back to an earlier page');
      const request = { ...first, target };
      const page = await fetchPage(request).catch((error: unknown) => {
        throw withPageCount(error, seen.size);
      });
      seen.add(target);
      // Throws only when the next page is wanted.
      findTarget = () => parseNextTarget(page.response, request);
      return { done: false, value: page };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function badLink(problem: string): Failure {
  return new Failure('service', {
    code: 'invalid_response',
    message: `the link to the next page ${problem}`,
    hint: 'report the link to the operator of the service',
  });
}

/** Returns the error with the number of pages as its outcome if the quota ended a list after them. */
function withPageCount(error: unknown, pageCount: number): unknown {
  if (!(error instanceof Failure) || error.details.outcome !== nothingSent || pageCount === 0) return error;
  const outcome = `${formatCount(pageCount, 'page')} ${pageCount === 1 ? 'was' : 'were'} read`;
  return new Failure(error.kind, { ...error.details, outcome });
}
