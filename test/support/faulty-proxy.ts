import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface FaultyProxyOptions {
  /** Returns the base URLs of the servers; creates take turns. */
  readonly targets: () => readonly string[];
  /** Removes what shows that the servers honor idempotency keys. */
  readonly ignoresKeys?: boolean;
}

/**
 * Starts a proxy that spoils creates, by their number: it loses the response of every third, and of others resets the
 * connection before the server gets the request, truncates the response, or replaces it with a 503.
 */
export async function startFaultyProxy({ targets, ignoresKeys = false }: FaultyProxyOptions): Promise<string> {
  let creates = 0;
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    if (incoming.method === 'POST') creates += 1;
    const fault = incoming.method === 'POST' ? faultOf(creates) : undefined;
    if (fault === 'reset') return void incoming.socket.resetAndDestroy();
    const addresses = targets();
    const target = addresses[creates % addresses.length] ?? '';
    const response = await forward(target, incoming, Buffer.concat(chunks), ignoresKeys).catch(() => undefined);
    if (!response || fault === 'lost') return void incoming.socket.destroy();
    const { status, headers, body } = response;
    if (fault === 'failed') return void outgoing.writeHead(503).end();
    if (ignoresKeys) delete headers['idempotency-key-lifetime'];
    outgoing.writeHead(status, headers as Record<string, string>);
    if (fault === 'truncated') truncate(outgoing, body);
    else outgoing.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function faultOf(create: number): 'lost' | 'reset' | 'truncated' | 'failed' | undefined {
  if (create % 3 === 0) return 'lost';
  return ({ 10: 'reset', 20: 'truncated', 25: 'failed' } as const)[create % 30];
}

function truncate(outgoing: ServerResponse, body: Buffer): void {
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
}

async function forward(
  baseUrl: string,
  { method, url = '', headers }: IncomingMessage,
  body: Buffer,
  ignoresKeys: boolean,
) {
  const { origin } = new URL(baseUrl);
  const { host: _, connection: __, ...rest } = headers;
  if (ignoresKeys) delete rest['idempotency-key'];
  const sent = request(`${origin}${url}`, { method, headers: rest, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: { ...response.headers }, body: Buffer.concat(chunks) };
}
