import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.js';
import type { AcceptOptions } from './accept-connections.js';
import { checkHeaders } from './check-headers.js';
import { ConnectionReset } from './fault-injection.js';
import type { LoggedRequest } from './logged-request.js';
import { connectionOf, receiveRequest, writeContinue } from './receive-request.js';
import { drainThenClose } from './reject-on-socket.js';
import type { RequestHandler } from './request-handler.js';
import { RequestAborted, uncountedResponse } from './responses.js';

export interface ResponderOptions extends Pick<AcceptOptions, 'onWireRejection' | 'trustedProxies'> {
  readonly handler: RequestHandler;
  readonly clock: Clock;
  /** Whether the server closes the connection after the response. */
  readonly isClosing: () => boolean;
}

/** Responds to a request of node:http with what the handler returns. Rejects with unexpected errors. */
export async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  logged: LoggedRequest,
  { handler, clock, isClosing, onWireRejection, trustedProxies }: ResponderOptions,
): Promise<void> {
  const rejection = checkHeaders(incoming);
  if (rejection) {
    // The parser reports an invalid body only after the headers, and may respond to it in the meantime.
    await undefined;
    if (!connectionOf(incoming).writable) return;
    onWireRejection?.(rejection.code);
  }
  // A client that waits before a body gets this when the body is read.
  const { 'content-length': length, 'transfer-encoding': coding, expect } = incoming.headers;
  if (expect !== undefined && length === undefined && coding === undefined && !rejection) {
    writeContinue(incoming, outgoing);
  }
  try {
    const request = receiveRequest(incoming, outgoing, logged, trustedProxies);
    const response = rejection ? uncountedResponse(request, rejection) : await handler(request, logged.address);
    // The rest of the body would be read as the next request.
    const isBodyUnread = !incoming.complete;
    const closeHeader = (isBodyUnread || isClosing()) && { connection: 'close' };
    // Node.js would send the time of the machine, which `--clock` may override.
    const date = formatDate(clock.now());
    const headers = response.headers as Record<string, string>;
    outgoing.writeHead(response.status, { date, 'x-request-id': logged.id, ...closeHeader, ...headers });
    logged.end(response.status);
    if (!isBodyUnread) return void outgoing.end(response.body);
    outgoing.write(response.body);
    drainThenClose(incoming, () => outgoing.end());
    if (coding !== undefined) connectionOf(incoming).discardRest();
    else connectionOf(incoming).releaseBody();
  } catch (error) {
    if (error instanceof RequestAborted) {
      logged.end('aborted');
      return void outgoing.destroy();
    }
    if (!(error instanceof ConnectionReset)) throw error;
    connectionOf(incoming).resetAndDestroy();
    logged.end('reset');
  }
}

/** Returns the value of `Date`, which changes once per second. */
function formatDate(now: number): string {
  const second = Math.floor(now / 1000);
  if (second !== lastDate.second) lastDate = { second, text: new Date(second * 1000).toUTCString() };
  return lastDate.text;
}

let lastDate = { second: Number.NaN, text: '' };
