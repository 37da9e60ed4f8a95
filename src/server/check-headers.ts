import type { IncomingMessage } from 'node:http';
import { unsupportedVersion } from './reject-on-socket.js';
import { Rejection } from './responses.js';

/** Returns why a request is rejected before its body is read. */
export function checkHeaders({
  rawHeaders,
  httpVersionMajor,
  httpVersion,
  headers,
}: IncomingMessage): Rejection | undefined {
  // Node.js accepts HTTP/2.0 in a request line.
  if (httpVersionMajor > 1) return unsupportedVersion();
  const { expect, 'transfer-encoding': coding } = headers;
  if (coding !== undefined) {
    const rejection = checkTransferCoding(coding, httpVersion);
    if (rejection) return rejection;
  }
  if (rawHeaders.length > 2 * maxHeaderLines) {
    const message = `a request must not have more than ${maxHeaderLines} header lines`;
    return new Rejection('invalid_request', message, {}, 431);
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    const message = 'the only supported value of the Expect header is 100-continue';
    return new Rejection('invalid_request', message, {}, 417);
  }
  return undefined;
}

const maxHeaderLines = 200;

/**
 * Allows only chunked: Node.js decodes no other coding before it. Closes the connection, because a proxy may read the
 * end of the body elsewhere (RFC 9112 §6.1).
 */
function checkTransferCoding(coding: string, httpVersion: string): Rejection | undefined {
  const close = { connection: 'close' };
  if (coding.toLowerCase() !== 'chunked') {
    return new Rejection('invalid_request', 'the only supported transfer coding is chunked', close, 501);
  }
  if (httpVersion === '1.1') return undefined;
  return new Rejection('invalid_request', `HTTP/${httpVersion} does not support the Transfer-Encoding header`, close);
}
