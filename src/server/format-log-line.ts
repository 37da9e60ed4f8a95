import { escapeJson } from '../format/json.js';
import { toSafeText } from '../format/safe-text.js';

/** What one line of the server's log contains. */
export type LogEntry = RequestLogEntry | MessageLogEntry;

export interface RequestLogEntry {
  /** When the request ended, in milliseconds since the Unix epoch, by the clock of the server. */
  readonly time: number;
  /** Undefined if the request could not be parsed. */
  readonly method: string | undefined;
  /** Without the query. Undefined if the request could not be parsed. */
  readonly path: string | undefined;
  /** Status of the response, or why there was none: an injected reset, or a connection that ended. */
  readonly status: number | 'reset' | 'aborted';
  readonly durationMs: number;
  readonly requestId: string;
  /** First characters of the API key, if the server knows it. */
  readonly key: string | undefined;
  /** Address of the client. */
  readonly address: string;
}

export interface MessageLogEntry {
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
  const time = formatTime(entry.time);
  if ('message' in entry) {
    const { level, message, requestId } = entry;
    const cause = requestId === undefined ? '' : ` (request ${hideApiKey(requestId, redact)})`;
    return toSafeText(`${time} ${level}: ${redact(message)}${cause}`, { multiline: true });
  }
  const { method = '-', status, durationMs, key, address } = entry;
  const path = entry.path === undefined ? '-' : hideApiKey(entry.path, redact);
  const requestId = hideApiKey(entry.requestId, redact);
  return toSafeText(`${time} ${method} ${path} ${status} ${durationMs} ms ${requestId} ${key ?? (address || '-')}`);
}

function formatJsonLine(entry: LogEntry, { redact }: LogLineOptions): string {
  const time = formatTime(entry.time);
  const requestId = entry.requestId && hideApiKey(entry.requestId, redact);
  if ('message' in entry) {
    return escapeJson(JSON.stringify({ time, level: entry.level, message: redact(entry.message), requestId }));
  }
  const { method = null, path, status, durationMs, key = null, address } = entry;
  const level = typeof status === 'number' && status >= 500 ? 'error' : 'info';
  return escapeJson(
    JSON.stringify({
      time,
      level,
      method,
      path: path === undefined ? null : hideApiKey(path, redact),
      // Programs that index logs expect one type per field.
      status: typeof status === 'number' ? status : null,
      durationMs,
      requestId,
      key,
      address,
    }),
  );
}

/** Returns an RFC 3339 time in UTC. Formatting only the milliseconds makes a line a third faster. */
function formatTime(time: number): string {
  const second = Math.floor(time / 1000);
  if (second !== lastTime.second) lastTime = { second, text: new Date(second * 1000).toISOString().slice(0, -4) };
  return `${lastTime.text}${String(Math.floor(time - second * 1000)).padStart(3, '0')}Z`;
}

let lastTime = { second: Number.NaN, text: '' };

/** Matches the API keys of this server, of which it knows only digests. */
const serverKey = /pets_[0-9a-z]{20}/i;

/** Hides text of a client that contains a secret. */
function hideApiKey(text: string, redact: LogLineOptions['redact']): string {
  return serverKey.test(text) ? '[redacted]' : redact(text);
}
