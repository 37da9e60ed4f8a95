import { keyPattern } from '../api/http.js';
import { escapeJson } from '../format/json.js';
import { toSafeText } from '../format/safe-text.js';

/** What one line of the server's log contains. */
export type LogEntry = RequestLogEntry | MessageLogEntry;

export interface RequestLogEntry {
  /** When the request ended, in milliseconds since the Unix epoch, by the clock of the server. */
  readonly time: number;
  /** Empty if the request could not be parsed. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Status of the response, or why there was none: an injected reset, or a connection that ended. */
  readonly status: number | 'reset' | 'aborted';
  readonly durationMs: number;
  readonly requestId: string;
  /** First characters of the API key, if the server knows it. */
  readonly key: string | undefined;
  /** Address of the client. */
  readonly address: string;
  /** Operation id in the API spec, if the request is for one. */
  readonly operation: string | undefined;
  /** Code of the error that the response reports. */
  readonly errorCode: string | undefined;
}

interface MessageLogEntry {
  readonly time: number;
  readonly level: 'error' | 'warning' | 'info';
  readonly message: string;
  /** The request that caused it, if it was one. */
  readonly requestId?: string | undefined;
}

export interface LogLineOptions {
  readonly format: 'text' | 'json';
  /** Removes the secrets that this process knows. */
  readonly redact: (text: string) => string;
}

/** Returns a line without secrets and control characters. A message in text may have several lines. */
export function formatLogLine(entry: LogEntry, options: LogLineOptions): string {
  return options.format === 'json' ? formatJsonLine(entry, options) : formatTextLine(entry, options);
}

function formatTextLine(entry: LogEntry, { redact }: LogLineOptions): string {
  const time = new Date(entry.time).toISOString();
  if ('message' in entry) {
    const { level, message, requestId } = entry;
    const cause = requestId === undefined ? '' : ` (request ${hideApiKey(requestId, redact)})`;
    return toSafeText(`${time} ${level}: ${redact(message)}${cause}`, { multiline: true });
  }
  const { method, status, durationMs, key = '', address } = entry;
  const requestId = hideApiKey(entry.requestId, redact);
  const request = method === '' ? '- -' : `${method} ${hideApiKey(entry.path, redact)}`;
  return toSafeText(`${time} ${request} ${status} ${durationMs} ms ${requestId} ${key || address || '-'}`);
}

function formatJsonLine(entry: LogEntry, { redact }: LogLineOptions): string {
  const time = new Date(entry.time).toISOString();
  const requestId = entry.requestId && hideApiKey(entry.requestId, redact);
  if ('message' in entry) {
    return escapeJson(JSON.stringify({ time, level: entry.level, message: redact(entry.message), requestId }));
  }
  const { method, path, status, durationMs, key = null, address } = entry;
  return escapeJson(
    JSON.stringify({
      time,
      level: typeof status === 'number' && status >= 500 ? 'error' : 'info',
      method: method === '' ? null : method,
      path: method === '' ? null : hideApiKey(path, redact),
      // Programs that index logs expect one type per field.
      status: typeof status === 'number' ? status : null,
      durationMs,
      requestId,
      key,
      address,
    }),
  );
}

/** Hides text of a client that contains a secret. The server knows only digests of its keys. */
function hideApiKey(text: string, redact: LogLineOptions['redact']): string {
  return keyPattern.test(text) ? '[redacted]' : redact(text);
}
