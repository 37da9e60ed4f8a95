import type { HttpResponse, Transport } from '../api/http.js';

/** Tells of each request and answer, without anything secret: of headers only those named here. */
export function withTrace(send: Transport, trace: (line: string) => void): Transport {
  return async (request, signal) => {
    trace(`> ${request.method} ${request.origin}${request.target}`);
    const response = await send(request, signal);
    trace(`< ${response.status}${shownHeaders(response)}`);
    return response;
  };
}

const shown = [
  'content-type',
  'content-length',
  'date',
  'link',
  'retry-after',
  'deprecation',
  'sunset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
] as const;

function shownHeaders({ headers }: HttpResponse): string {
  return shown
    .filter((name) => headers[name] !== undefined)
    .map((name) => `  ${name}: ${String(headers[name])}`)
    .join('');
}
