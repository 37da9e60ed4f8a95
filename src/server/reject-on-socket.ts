import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../api/error.js';
import { drainThenClose } from './forget.js';
import { Rejection } from './rejection.js';
import { errorResponse, unknownQuota, withQuotaHeaders } from './responses.js';

/**
 * Answers what Node.js could not read as a request, in the words of the interface, and ends the connection.
 * Resolves to the status, or to nothing where there is nobody to tell.
 */
export function rejectUnparsable(error: Error, socket: Socket, now: number): number | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  // It was answered, and what still comes after it is no request either.
  if (socket.writableEnded && !socket.destroyed) return undefined;
  if (!socket.writable || code === 'ECONNRESET' || socket.bytesRead === 0) {
    socket.destroy();
    return undefined;
  }
  const [name, message] = problems[code] ?? otherwise;
  return rejectOnSocket(new Rejection(name, message), socket, now);
}

/** Answers past Node.js what it hands over as a bare connection, and ends it. Returns the status. */
export function rejectOnSocket(rejection: Rejection, socket: Socket, now: number): number {
  const answer = errorResponse(rejection);
  const { status, headers, body } = withQuotaHeaders({ method: '' }, answer, unknownQuota(now));
  const lines = Object.entries({ ...headers, connection: 'close' }).map(
    ([header, value]) => `${header}: ${String(value)}\r\n`,
  );
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`);
  socket.end(body);
  drainThenClose(socket, () => socket.destroy());
  return status;
}

type Problem = readonly [code: ErrorCode, message: string];

const problems: Readonly<Record<string, Problem>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    'request_timeout',
    'the request did not come whole in time: 10 seconds for its headers, 15 for all of it',
  ],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'the headers must have at most 16384 bytes'],
};

const otherwise: Problem = ['invalid_request', 'this is no HTTP request'];
