import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Rejection, rejectionResponse } from './responses.js';

/** The maximum number of header lines of a request. */
export const maxHeaderLines = 200;

/** Returns why a request is rejected by its headers alone. */
export function checkHeaders({ rawHeaders, httpVersion, headers }: IncomingMessage): Rejection | undefined {
  const { host, 'transfer-encoding': coding } = headers;
  // A proxy may read the end of the body, or of the headers, elsewhere (RFC 9112 §6.1).
  const close = { connection: 'close' };
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) {
    return new Rejection('invalid_request', 'the only supported transfer coding is chunked, in HTTP/1.1', close, 501);
  }
  if (rawHeaders.length > 2 * maxHeaderLines) {
    const message = `a request must not have more than ${maxHeaderLines} header lines`;
    return new Rejection('invalid_request', message, close, 431);
  }
  // HTTP/1.0 has no Host header (RFC 9112 §3.2). Node.js joins several ones.
  const isHostValid = host === undefined ? httpVersion === '1.0' : !host.includes(',');
  return isHostValid ? undefined : new Rejection('invalid_request', 'exactly one Host header is required');
}

/** Returns the rejection of bytes that Node.js could not parse as a request, by the code of the error. */
export function toRejection({ code = '' }: NodeJS.ErrnoException): Rejection {
  const [status, message] = parseErrors[code] ?? [400, 'the request is not valid HTTP'];
  return new Rejection('invalid_request', message, {}, status);
}

const parseErrors: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'the request timed out: headers must arrive within 10 seconds, and the whole request within 15 seconds',
  ],
  HPE_HEADER_OVERFLOW: [431, 'the headers must not exceed 16,384 bytes'],
};

/** Writes a response to a bare socket, without a ServerResponse, and closes it. */
export function rejectOnSocket(
  socket: Socket,
  rejection: Rejection,
  { now, requestId }: { readonly now: number; readonly requestId: string },
): void {
  const { status, headers, body } = rejectionResponse(rejection);
  const date = new Date(now).toUTCString();
  const length = String(body.length);
  const lines = Object.entries({
    'content-length': length,
    ...headers,
    date,
    'x-request-id': requestId,
    connection: 'close',
  }).map(([header, value]) => `${header}: ${String(value)}\r\n`);
  socket.on('error', () => {});
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`);
  socket.end(body);
  discardRest(socket, () => socket.destroy());
}

/**
 * Reads what a client still sends without parsing it; calls `onEnd` at its end or after half a second. Closing at once
 * would reset the connection, and the client would lose the response.
 */
export function discardRest(socket: Socket, onEnd?: () => void): void {
  // Node.js parses what its own listener gets.
  socket.removeAllListeners('data');
  socket.on('data', () => {});
  socket.resume();
  if (!onEnd) return;
  const timer = setTimeout(finish, drainTimeoutMs);
  function finish() {
    clearTimeout(timer);
    onEnd?.();
  }
  socket.once('end', finish).once('close', finish);
}

const drainTimeoutMs = 500;
