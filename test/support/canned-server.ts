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
  readonly requests: readonly {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
  }[];
}

/** Starts a service on loopback that sends these responses and then repeats the last one. */
export async function startCannedServer(...answers: readonly CannedResponse[]): Promise<CannedServer> {
  const requests: {
    method: string;
    url: string;
    headers: Record<string, unknown>;
    body: string;
  }[] = [];
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
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body,
    });
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
