import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { HttpResponse } from '../api/http.js';
import type { Respond } from './request-context.js';
import { methodNotAllowed } from './responses.js';

/** The responses with the files of the API reference page by path. */
type DocsPage = ReadonlyMap<string, HttpResponse>;

/** Reads the compressed files of the API reference page, so that later responses share their bytes in memory. */
export async function readDocsPage(directory: string): Promise<DocsPage> {
  const names = await readdir(directory);
  const files = names.map(async (name) => {
    const path = name === 'index.html.gz' ? docsPath : `${docsPath}/${name.replace(/\.gz$/, '')}`;
    return [path, fileResponse(path, await readFile(join(directory, name)))] as const;
  });
  return new Map(await Promise.all(files));
}

/** Wraps what responds to requests to serve the API reference page at `/docs`, and to redirect `/` there. */
export function withDocsPage(respond: Respond, files: DocsPage): Respond {
  return async (context) => {
    const { path, method } = context;
    const file = files.get(path) ?? (path === '/' || path === `${docsPath}/` ? redirect : undefined);
    if (!file) return respond(context);
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(['GET']);
    return file;
  };
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
