import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { followPages, parseNextTarget } from '../../src/client/pagination.js';
import { Failure } from '../../src/failure.js';
import { failureOf, newResponse } from '../support/test-client.js';

const request = { method: 'GET', origin: 'https://store.example', target: '/v1/pets?limit=2', headers: {} };

describe('parseNextTarget', () => {
  test.each([
    ['a path and query', '</v1/pets?cursor=x>; rel="next"'],
    ['an absolute address', '<https://store.example/v1/pets?cursor=x>; rel="next"'],
    ['a query alone', '<?cursor=x>; rel="next"'],
    ['a relation without quotes', '</v1/pets?cursor=x>; rel=next'],
    ['several relations', '</v1/pets?cursor=x>; rel="last next"'],
    ['other parameters', '</v1/pets?cursor=x>; title="a, b; c"; rel="next"; type="x"'],
    ['other links around it', '</a>; rel="prev", </v1/pets?cursor=x>; rel="next", </b>; rel="last"'],
    ['another relation within a title', '</v1/pets?cursor=x>; title="a; rel=prev"; rel="next"'],
  ])('follows %s', (_, link) => {
    expect(parseNextTarget(newResponse(200, '[]', { link }), request)).toBe('/v1/pets?cursor=x');
  });

  test('follows the link in one of two headers', () => {
    const link = ['</a>; rel="prev"', '</v1/pets?cursor=x>; rel="next"'];
    expect(parseNextTarget(newResponse(200, '[]', { link }), request)).toBe('/v1/pets?cursor=x');
  });

  test.each([
    ['no header', undefined],
    ['other relations', '</a>; rel="prev", </b>; rel="next-archive"'],
    ['the word next within a title', '</a>; title="x; rel=next"; rel="prev"'],
    ['a target without brackets', '/v1/pets?cursor=x; rel="next"'],
  ])('finds no page after %s', (_, link) => {
    expect(parseNextTarget(newResponse(200, '[]', { link }), request)).toBeUndefined();
  });

  test.each([
    ['another host', 'https://evil.example/v1/pets'],
    ['another scheme', 'http://store.example/v1/pets'],
    ['a host with the same prefix', 'https://store.example.evil.example/v1/pets'],
    ['a user that looks like the host', 'https://store.example@evil.example/v1/pets'],
    ['a backslash', '/\\evil.example/v1/pets'],
    ['a script', 'javascript:alert(1)'],
  ])('rejects %s', (_, target) => {
    const link = `<${target}>; rel="next"`;
    expect(failure(() => parseNextTarget(newResponse(200, '[]', { link }), request))).toMatchObject({
      kind: 'service',
      message: 'the link to the next page points to another origin',
      details: {
        code: 'invalid_response',
        hint: 'report the link to the operator of the service',
      },
    });
  });

  test('rejects an invalid URL', () => {
    const link = '<https://[>; rel="next"';
    expect(failure(() => parseNextTarget(newResponse(200, '[]', { link }), request)).message).toBe(
      'the link to the next page is not a valid URL',
    );
  });

  test('drops user and password from a link', () => {
    const link = '<https://user:password@store.example/v1/pets?cursor=x>; rel="next"';
    expect(parseNextTarget(newResponse(200, '[]', { link }), request)).toBe('/v1/pets?cursor=x');
  });

  test('returns a path or nothing, or throws a Failure, for any header', () => {
    const piece = fc.constantFrom('<', '>', ';', ',', '"', '\\', ' ', '=', 'rel', 'next', '/a', '//b', 'x:');
    const header = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 15 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(header, (link) => {
        try {
          expect(parseNextTarget(newResponse(200, '[]', { link }), request) ?? '/').toMatch(/^\//);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('parses a hostile header of 64 KiB in linear time', () => {
    for (const unit of ['<', '<>;', '<a>; a="', '<a>; a=  ', '<a>;rel=next\\', '; rel']) {
      const link = unit.repeat(65_536 / unit.length);
      expect(() => parseNextTarget(newResponse(200, '[]', { link }), request)).not.toThrow(RangeError);
    }
  });
});

describe('followPages', () => {
  test('yields pages until there is no link', async () => {
    const { asked, ask } = pagesOf('/v1/pets?cursor=a', '/v1/pets?cursor=b');
    const bodies: string[] = [];
    for await (const { response } of followPages(request, ask)) {
      bodies.push(new TextDecoder().decode(response.body));
    }
    expect(asked).toEqual([request.target, '/v1/pets?cursor=a', '/v1/pets?cursor=b']);
    expect(bodies).toEqual(['[0]', '[1]', '[2]']);
  });

  test('yields a page although its link points to another origin', async () => {
    const pages = followPages(request, pagesOf('https://evil.example/v1/pets').ask);
    expect(await pages.next()).toMatchObject({ done: false });
    expect((await failureOf(pages.next())).message).toBe('the link to the next page points to another origin');
  });

  test('requests only a failed page again', async () => {
    const { asked, ask } = pagesOf('/v1/pets?cursor=a');
    let fails = 0;
    const pages = followPages(request, async (page) => {
      fails += 1;
      if (fails === 2) throw new Error('gone');
      return ask(page);
    });
    await pages.next();
    await expect(pages.next()).rejects.toThrow('gone');
    expect(await pages.next()).toMatchObject({ done: false });
    expect(await pages.next()).toEqual({ done: true, value: undefined });
    expect(asked).toEqual([request.target, '/v1/pets?cursor=a']);
  });

  test('rejects a repeated page without requesting it', async () => {
    const { asked, ask } = pagesOf('/v1/pets?cursor=a', request.target);
    expect(await failureOf(drain(followPages(request, ask)))).toMatchObject({
      kind: 'service',
      message: 'the link to the next page points back to an earlier page',
      details: { code: 'invalid_response' },
    });
    expect(asked).toEqual([request.target, '/v1/pets?cursor=a']);
  });
});

function pagesOf(...links: readonly string[]) {
  const asked: string[] = [];
  const ask = async ({ target }: { readonly target: string }) => {
    const link = links[asked.length];
    const response = newResponse(200, `[${asked.length}]`, link ? { link: `<${link}>; rel="next"` } : {});
    asked.push(target);
    return { response };
  };
  return { asked, ask };
}

async function drain(pages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pages);
}

function failure(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    return error as Failure;
  }
  throw new Error('nothing failed');
}
