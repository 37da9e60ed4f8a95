import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { HttpResponse } from '../api/http.js';

/**
 * Reads the compressed files of the API reference page, by the path of their requests, so that later responses share their
 * bytes in memory. `/` redirects to the page.
 */
export async function readDocsPage(directory: string): Promise<ReadonlyMap<string, HttpResponse>> {
  const names = await readdir(directory);
  const files = names.map(async (name) => {
    const path = name === 'index.html.gz' ? docsPath : `${docsPath}/${name.replace(/\.gz$/, '')}`;
    return [path, fileResponse(path, await readFile(join(directory, name)))] as const;
  });
  return new Map([['/', redirect], [`${docsPath}/`, redirect], ...(await Promise.all(files))]);
}

const docsPath = '/docs';

const redirect: HttpResponse = { status: 302, headers: { location: docsPath }, body: new Uint8Array() };

/** Returns a response that is compressed for every client: browsers accept gzip. */
function fileResponse(path: string, body: Uint8Array): HttpResponse {
  const contentType = path === docsPath ? contentTypes['.html'] : contentTypes[extname(path)];
  return {
    status: 200,
    headers: {
      'content-type': contentType ?? 'application/octet-stream',
      'content-encoding': 'gzip',
      'cache-control': 'no-cache',
      ...securityHeaders,
    },
    body,
  };
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
};

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
