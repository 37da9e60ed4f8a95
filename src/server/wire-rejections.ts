import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Rejection, rejectionResponse } from './responses.js';

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
