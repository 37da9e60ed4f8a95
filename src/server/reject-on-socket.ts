import { STATUS_CODES } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { ServerErrorCode } from '../api/error.js';
import type { PacedConnection } from './paced-connection.js';
import { Rejection, uncountedResponse } from './responses.js';

/**
 * Responds to bytes that Node.js could not parse as a request, and closes the connection.
 * Returns the status, or `undefined` if no response can be sent.
 */
export function rejectUnparsable(error: Error, socket: PacedConnection, context: RejectionContext): number | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  // A response was sent already; the bytes after it cannot be parsed either.
  if (socket.writableEnded && !socket.destroyed) return undefined;
  if (!socket.writable || code === 'ECONNRESET' || socket.bytesRead === 0) {
    socket.destroy();
    return undefined;
  }
  return rejectOnSocket(toRejection(error as ParserError), socket, context);
}

/** Why a request or a connection was rejected before its request reached the handler. */
export type WireRejectionReason = ServerErrorCode | 'connection_limit' | 'address_connection_limit';

interface RejectionContext {
  readonly now: number;
  readonly requestId: string;
  readonly onWireRejection?: ((reason: WireRejectionReason) => void) | undefined;
}

/** An error of the parser in Node.js. */
interface ParserError extends Error {
  readonly code?: string;
  /** The bytes that the parser got last, and how many of them are valid. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

function toRejection({ code = '', rawPacket, bytesParsed }: ParserError): Rejection {
  const valid = rawPacket?.toString('latin1', 0, bytesParsed) ?? '';
  const isNewerVersion = code === 'HPE_INVALID_VERSION' && /HTTP\/[2-9]\.[0-9]$/.test(valid);
  if (isNewerVersion || code === 'HPE_PAUSED_H2_UPGRADE') return unsupportedVersion();
  const [status, message] = parseErrors[code] ?? [400, 'the request is not valid HTTP'];
  return new Rejection('invalid_request', message, {}, status);
}

/** Rejects a request line with a major version above 1 (RFC 9110 §15.6.6), and closes the connection. */
export function unsupportedVersion(): Rejection {
  const message = 'this server supports only HTTP/1.1 and HTTP/1.0';
  return new Rejection('invalid_request', message, { connection: 'close' }, 505);
}

/** Writes a response to a bare socket, without a ServerResponse, and closes it. Returns the status. */
export function rejectOnSocket(
  rejection: Rejection,
  socket: Duplex,
  { now, requestId, onWireRejection }: RejectionContext,
): number {
  onWireRejection?.(rejection.code);
  const { status, headers, body } = uncountedResponse({ method: '' }, rejection);
  const date = new Date(now).toUTCString();
  const lines = Object.entries({ ...headers, date, 'x-request-id': requestId, connection: 'close' }).map(
    ([header, value]) => `${header}: ${String(value)}\r\n`,
  );
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`);
  socket.end(body);
  drainThenClose(socket, () => socket.destroy());
  return status;
}

/**
 * Discards the rest of a request until it ends or for half a second, then calls `close`. Closing at once would reset
 * the connection, and a client that is still sending would lose the response.
 */
export function drainThenClose(rest: Readable, close: () => void): void {
  const timer = setTimeout(close, drainTimeoutMs);
  rest.on('close', () => {
    clearTimeout(timer);
    close();
  });
  rest.resume();
}

const drainTimeoutMs = 500;

const parseErrors: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'the request timed out: headers must arrive within 10 seconds, and the whole request within 15 seconds',
  ],
  HPE_HEADER_OVERFLOW: [431, 'the headers must not exceed 16,384 bytes'],
};
