import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Reads the request and never answers. */
  readonly hang?: true;
}

export interface Answering {
  readonly env: Readonly<Record<string, string>>;
  readonly origin: string;
  /** Resolves once a whole request has come. */
  readonly reached: Promise<void>;
  /** Request lines and headers as they came. */
  readonly requests: readonly {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
  }[];
}

/** A service on loopback that gives the answers it is told to, the last one again and again. */
export async function startAnswering(...answers: readonly Answer[]): Promise<Answering> {
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
    reached,
    requests,
    env: { PETSTORE_BASE_URL: `${origin}/v1`, PETSTORE_API_KEY: 'pets_canary_0123456789' },
  };
}
