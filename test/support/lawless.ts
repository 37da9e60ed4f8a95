import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { HttpResponse } from '../../src/api/http.js';
import { openStore, testKey } from './store.js';

export interface Lawless {
  readonly env: Readonly<Record<string, string>>;
  /** Request lines as they came. */
  readonly lines: readonly string[];
}

/** The store itself over HTTP, whose answers are changed on the way: it breaks what the interface says. */
export async function startLawless(
  change: (answer: HttpResponse, line: string) => HttpResponse,
  clock = { now: () => Date.now(), sleep: async () => {} },
): Promise<Lawless> {
  const store = await openStore({ clock });
  const lines: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: target = '', headers } = request;
    lines.push(`${method} ${target}`);
    const exchange = { method, target, headers, origin: '', body: Buffer.concat(chunks) };
    const answer = change(await store.handle(exchange, '127.0.0.1'), `${method} ${target}`);
    response.writeHead(answer.status, {
      ...(answer.headers as Record<string, string>),
      date: new Date(clock.now()).toUTCString(),
      'content-length': answer.body.length,
    });
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await store.database.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    lines,
    env: { PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`, PETSTORE_API_KEY: testKey },
  };
}

/** The answer with another body. */
export function withText(answer: HttpResponse, edit: (text: string) => string): HttpResponse {
  const text = edit(new TextDecoder().decode(answer.body));
  return { ...answer, body: new TextEncoder().encode(text) };
}

/** The answer without a header. */
export function without(answer: HttpResponse, name: string): HttpResponse {
  const { [name]: _, ...headers } = answer.headers;
  return { ...answer, headers };
}
