import { type HttpResponse, headerOf } from '../api/http.js';
import { findLink } from '../api/link-header.js';
import { Failure } from '../failure.js';

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

/**
 * The page at a path and query and all that follow it; where one could not be had, `next` asks for it again. Fails
 * (service) where a page comes a second time, and where many in a row are the same: such links would be followed
 * for ever.
 */
export function followPages<Page extends { readonly response: HttpResponse }, CommandResult = Page>(
  { origin, target }: { origin: string; target: string },
  ask: (target: string) => Promise<Page>,
  show: (page: Page) => CommandResult = (page) => page as unknown as CommandResult,
): AsyncIterableIterator<CommandResult> {
  const seen = new Set<string>();
  let alike = 0;
  let last: { readonly target: string; readonly response: HttpResponse } | undefined;
  const step = async (): Promise<IteratorResult<CommandResult, undefined>> => {
    const next = last ? nextTarget(last.response, { origin, target: last.target }) : target;
    if (next === undefined) return { done: true, value: undefined };
    if (seen.has(next)) throw badLink('leads back to a page that was read');
    const page = await ask(next);
    const { response } = page;
    alike = Buffer.compare(last?.response.body ?? empty, response.body) === 0 ? alike + 1 : 0;
    if (alike >= mostAlike) throw badLink('leads on and on to pages that are all the same');
    seen.add(next);
    last = { target: next, response };
    return { done: false, value: show(page) };
  };
  return {
    next: step,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const empty = new Uint8Array();

/** Some services filter after they have cut the pages, so that several in a row may be empty. */
const mostAlike = 20;

function badLink(problem: string): Failure {
  return new Failure('service', {
    code: 'bad_next_link',
    message: `the link to the next page ${problem}`,
    hint: 'leave --all or --paginate out to see the first page',
  });
}
