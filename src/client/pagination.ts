import { findLink, getHeader, type HttpResponse } from '../api/http.js';
import { Failure } from '../failure.js';

/**
 * Returns path and query of the next page (RFC 8288, relation `next`), or nothing on the last page. Throws (service)
 * if the link points to another origin, which must not receive the API key.
 */
export function parseNextTarget(
  { headers }: HttpResponse,
  { origin, target }: { origin: string; target: string },
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
 * Yields a page and all that follow it. Throws (service) on links that would never end: a page that repeats, or many
 * identical pages in a row. After an error of `fetchPage`, `next()` requests the same page again, so this is an
 * iterator by hand: a generator ends with its first error.
 */
export function followPages<Page extends { readonly response: HttpResponse }>(
  { origin, target }: { origin: string; target: string },
  fetchPage: (target: string) => Promise<Page>,
): AsyncIterableIterator<Page> {
  const seen = new Set<string>();
  let identicalPages = 0;
  let last: { readonly target: string; readonly response: HttpResponse } | undefined;
  const next = async (): Promise<IteratorResult<Page, undefined>> => {
    const nextTarget = last ? parseNextTarget(last.response, { origin, target: last.target }) : target;
    if (nextTarget === undefined) return { done: true, value: undefined };
    if (seen.has(nextTarget)) throw badLink('points back to an earlier page');
    const page = await fetchPage(nextTarget);
    const { response } = page;
    const isIdentical = Buffer.compare(last?.response.body ?? noBytes, response.body) === 0;
    identicalPages = isIdentical ? identicalPages + 1 : 0;
    if (identicalPages >= maxIdenticalPages) {
      throw badLink(`is invalid: the last ${maxIdenticalPages} pages are identical`);
    }
    seen.add(nextTarget);
    last = { target: nextTarget, response };
    return { done: false, value: page };
  };
  return {
    next,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const noBytes = new Uint8Array();

/** More than one, since a service that filters after paging may return several empty pages in a row. */
const maxIdenticalPages = 20;

function badLink(problem: string): Failure {
  return new Failure('service', {
    code: 'invalid_response',
    message: `the link to the next page ${problem}`,
    hint: 'report the link to the operator of the service',
  });
}
