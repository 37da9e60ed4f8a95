import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface CannedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Reads the request and never responds. */
  readonly hang?: true;
  /** Responds once `respond` of the server was called. */
  readonly waits?: true;
}

export interface CannedServer {
  readonly env: Readonly<Record<string, string>>;
  readonly origin: string;
  /** Sends the responses that wait. */
  readonly respond: () => void;
  /** Resolves once a complete request has arrived. */
  readonly firstRequest: Promise<void>;
  /** The received requests. */
  readonly requests: readonly ReceivedRequest[];
}

interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/**
 * Starts a service on loopback that sends these responses and then repeats the last one. A function chooses the response
 * to a request.
 */
export async function startCannedServer(
  ...answers: readonly (CannedResponse | ((request: ReceivedRequest) => CannedResponse))[]
): Promise<CannedServer> {
  const requests: ReceivedRequest[] = [];
  let arrive = () => {};
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let respond = () => {};
  const permission = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const chosen = answers[Math.min(requests.length, answers.length - 1)];
    const received = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    requests.push(received);
    const answer = typeof chosen === 'function' ? chosen(received) : chosen;
    arrive();
    if (answer?.hang) return;
    if (answer?.waits) await permission;
    response.writeHead(answer?.status ?? 200, {
      'content-type': 'application/json',
      ...answer?.headers,
    });
    response.end(answer?.body ?? '[]');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    firstRequest: reached,
    respond,
    requests,
    env: { PETSTORE_BASE_URL: `${origin}/v1`, PETSTORE_API_KEY: 'pets_canary_0123456789' },
  };
}
