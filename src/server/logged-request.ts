import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.js';
import type { RequestLogEntry } from './format-log-line.js';

export interface RequestLogOptions {
  readonly clock: Clock;
  /** Receives one entry per request. */
  readonly log: (entry: RequestLogEntry) => void;
}

/** A request whose line in the log is not written yet. */
export interface LoggedRequest {
  /** Identifies the request in the log and in its response. */
  readonly id: string;
  /** Address of the client. */
  readonly address: string;
  /** Adds the first characters of the API key. */
  readonly setKey: (prefix: string) => void;
  /** Writes the line; later calls do nothing. */
  readonly end: (status: RequestLogEntry['status']) => void;
}

/** Starts the measurement of a request; without `incoming`, of one that could not be parsed. */
export function beginRequest(
  incoming: IncomingMessage | undefined,
  address: string,
  { clock, log }: RequestLogOptions,
): LoggedRequest {
  const start = clock.now();
  const id = chooseRequestId(incoming?.headers['x-request-id']);
  let key: string | undefined;
  let hasEnded = false;
  return {
    id,
    address,
    setKey: (prefix) => {
      key = prefix;
    },
    end: (status) => {
      if (hasEnded) return;
      hasEnded = true;
      const time = clock.now();
      const { method, url } = incoming ?? {};
      const path = url?.split('?', 1)[0];
      log({ time, method, path, status, durationMs: Math.max(0, time - start), requestId: id, key, address });
    },
  };
}

/** Returns the id of the client if it has 1 to 128 visible ASCII characters, else a new one. */
function chooseRequestId(given: string | readonly string[] | undefined): string {
  return typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : crypto.randomUUID();
}
