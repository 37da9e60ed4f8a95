import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { HttpResponse } from '../../src/api/http.js';
import { openStore, testKey } from './test-store.js';

export interface TamperingServer {
  readonly env: Readonly<Record<string, string>>;
  /** Method and target of each request. */
  readonly requestLines: readonly string[];
}

/** Starts the server with responses that are modified to violate the API spec. */
export async function startTamperingServer(
  change: (answer: HttpResponse, line: string) => HttpResponse,
  clock = { now: () => Date.now(), sleep: async () => {} },
): Promise<TamperingServer> {
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
    requestLines: lines,
    env: { PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`, PETSTORE_API_KEY: testKey },
  };
}
