import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { HttpHeaders, HttpRequest, HttpResponse } from '../api/http.js';
import { sha256Hex } from '../format/sha256.js';
import type { RequestHandler } from './request-handler.js';
import { uncountedResponse, withCommonHeaders } from './responses.js';
import { methodNotAllowed } from './routes.js';

interface DocsFile {
  readonly contentType: string;
  readonly digest: string;
  readonly compressed: Uint8Array;
  /** Decompressed once, for clients that do not accept gzip. */
  readonly readDecompressed: () => Uint8Array;
}

/** The files of the API reference page by path. */
type DocsPage = ReadonlyMap<string, DocsFile>;

/** Reads the files of the API reference page, so that later responses share their bytes in memory. */
export async function readDocsPage(directory: string): Promise<DocsPage> {
  const names = await readdir(directory);
  const files = names.map(async (name) => {
    const path = name === 'index.html.gz' ? docsPath : `${docsPath}/${name.replace(/\.gz$/, '')}`;
    return [path, toDocsFile(path, await readFile(join(directory, name)))] as const;
  });
  return new Map(await Promise.all(files));
}

/** Wraps a handler to serve the API reference page at `/docs`, and to redirect `/` there. No response uses the database. */
export function withDocsPage(handler: RequestHandler, files: DocsPage): RequestHandler {
  return async (request, address) => {
    const [path = ''] = request.target.split('?');
    const file = files.get(path);
    if (!file && path !== '/' && path !== `${docsPath}/`) return handler(request, address);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return uncountedResponse(request, methodNotAllowed(['GET']));
    }
    return withCommonHeaders(request, file ? fileResponse(request, file) : redirect, {});
  };
}

const docsPath = '/docs';

const redirect: HttpResponse = { status: 302, headers: { location: docsPath }, body: new Uint8Array() };

function toDocsFile(path: string, compressed: Uint8Array): DocsFile {
  const contentType = path === docsPath ? contentTypes['.html'] : contentTypes[extname(path)];
  let decompressed: Uint8Array | undefined;
  return {
    contentType: contentType ?? 'application/octet-stream',
    digest: sha256Hex(compressed).slice(0, 16),
    compressed,
    readDecompressed: () => {
      decompressed ??= gunzipSync(compressed);
      return decompressed;
    },
  };
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
};

function fileResponse({ headers }: HttpRequest, file: DocsFile): HttpResponse {
  const isCompressed = acceptsGzip(headers);
  // Each encoding needs its own entity tag (RFC 9110 §8.8.3.3).
  const etag = `"${file.digest}${isCompressed ? '-gzip' : ''}"`;
  const body = isCompressed ? file.compressed : file.readDecompressed();
  const isUnchanged = matchesEntityTag(headers, etag);
  return {
    status: isUnchanged ? 304 : 200,
    headers: {
      'content-type': file.contentType,
      'content-length': String(body.length),
      ...(isCompressed && { 'content-encoding': 'gzip' }),
      etag,
      vary: 'Accept-Encoding',
      'cache-control': 'no-cache',
      ...securityHeaders,
    },
    body: isUnchanged ? new Uint8Array() : body,
  };
}

const securityHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The style sheet of Swagger UI contains its icons.
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

function acceptsGzip(headers: HttpHeaders): boolean {
  return String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((coding) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$)|$)/i.test(coding));
}

function matchesEntityTag(headers: HttpHeaders, etag: string): boolean {
  return String(headers['if-none-match'] ?? '')
    .split(',')
    .some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
