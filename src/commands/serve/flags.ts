import { keyPattern } from '../../api/http.js';
import { planNames } from '../../api/plan.js';
import { type AnyCommand, globalGroup } from '../../cli/command-spec.js';
import { anyText, choice, invalidFlag, wholeNumber } from '../../cli/flags.js';
import { dayMs, minuteMs } from '../../clock.js';
import type { FaultFlag } from '../../server/server-options.js';

export const variablePrefix = 'PETSTORE_SERVE_';

export const databaseVariable = { prefix: variablePrefix, flags: ['--database'] };

export const serverDatabaseFlag = [
  '--database <file>',
  'database of the server (default: a file in the data directory)',
  anyText('file'),
] as const;
export const planFlag = [
  '--plan <plan>',
  `rate-limit plan: ${planNames.join(', ')}`,
  choice('--plan', planNames),
] as const;
export const perMinuteFlag = [
  '--per-minute <n>',
  'requests per minute, instead of those of the plan',
  wholeNumber('--per-minute', 1, 1e12),
] as const;
export const perDayFlag = [
  '--per-day <n>',
  'requests per day, instead of those of the plan',
  wholeNumber('--per-day', 1, 1e12),
] as const;

/** Adds a host name or IP address, without a port. */
export function collectHosts(text: string, hosts: readonly string[] = []): readonly string[] {
  if (!/^[A-Za-z0-9._-]{1,253}$|^(?=.*:.*:)[0-9A-Fa-f:.]{2,45}$/.test(text)) {
    throw invalidFlag(
      '--allow-host must be a host name or an IP address, without a scheme or port',
      'pass a name such as --allow-host pets.example.com',
    );
  }
  return [...hosts, text];
}

/** Adds networks such as `10.0.0.0/8,::1`, which the start of the server parses. */
export function collectNetworks(text: string, networks: readonly string[] = []): readonly string[] {
  return [...networks, ...text.split(',').map((network) => network.trim())];
}

/** Adds faults such as `503:0.05,reset:0.01`, or the seed `seed:42`. */
export function collectFaults(text: string, injection: FaultFlag = { faults: [] }) {
  return text.split(',').reduce(addFault, injection);
}

function addFault(injection: FaultFlag, text: string): FaultFlag {
  const [, kind = '', number = ''] = /^(reset|seed|[45][0-9]{2}):([0-9]+(?:\.[0-9]+)?)$/.exec(text) ?? [];
  const value = number === '' ? Number.NaN : Number(number);
  if (kind === 'seed' && Number.isInteger(value) && value < 2 ** 32) {
    return { ...injection, seed: value };
  }
  if (kind === 'seed' || !(value >= 0 && value <= 1)) {
    throw invalidFlag(
      `--fault must be <status>:<probability>, reset:<probability> or seed:<number>, not "${text}"`,
      'pass a value such as --fault 503:0.05, --fault reset:0.01 or --fault seed:42',
    );
  }
  const fault = { kind: kind === 'reset' ? kind : Number(kind), probability: value } as const;
  return { ...injection, faults: [...injection.faults, fault] };
}

/** Parses the start time of a simulated clock into milliseconds since the Unix epoch. A date is its first moment. */
export function parseTime(text: string): number {
  const start = parseIsoTime(text)?.start;
  if (start !== undefined) return start;
  throw invalidFlag(
    `--clock must be an ISO 8601 date or time, not "${text}"`,
    'pass a value such as --clock 2030-12-06 or --clock 2030-12-06T08:30:00Z',
  );
}

/** Checks that a label fits on one line and contains no API key. */
export function parseLabel(text: string): string {
  if (/^(?=.*\S)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,100}$/u.test(text) && !keyPattern.test(text)) return text;
  throw invalidFlag(
    '--label must be 1 to 100 characters, not all blank, without control characters and without an API key',
    'pass a name for the API key, such as --label ci',
  );
}

/** Parses when an API key expires, in milliseconds since the Unix epoch. It is valid through the whole of a date. */
export function parseExpiry(text: string): number | 'never' {
  if (text === 'never') return text;
  const time = parseIsoTime(text);
  if (time) return time.isDay ? time.start + dayMs : time.start;
  throw invalidFlag(
    `--expires must be a date, an RFC 3339 time or never, not "${text}"`,
    'pass a value such as --expires 2030-12-31 or --expires 2030-12-31T18:00:00Z',
  );
}

/** Parses how long both API keys of a rotation are valid, such as `30s` or `24h`, into milliseconds. */
export function parseOverlap(text: string): number {
  const [, count, unit = ''] = /^([0-9]{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = durationUnits[unit];
  if (unitMs !== undefined) return Number(count) * unitMs;
  throw invalidFlag(
    `--overlap must be a number with the unit s, m, h or d, not "${text}"`,
    'pass a value such as --overlap 24h, or --overlap 0s to expire the old API key at once',
  );
}

/** In milliseconds. */
const durationUnits: Readonly<Record<string, number>> = { s: 1_000, m: minuteMs, h: 60 * minuteMs, d: dayMs };

/**
 * Parses an ISO 8601 date or time, UTC by default. Returns its start in milliseconds since the Unix epoch, and whether it
 * is a date; `undefined` for any other text and for times before the epoch.
 */
function parseIsoTime(text: string): { readonly start: number; readonly isDay: boolean } | undefined {
  const [, day = '', time, zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(Z|[+-]\d{2}:\d{2})?$/.exec(text) ?? [];
  const start = Date.parse(`${day}${time ?? 'T00:00'}${zone}`);
  // Date.parse reads 31 February as 3 March.
  const isValidDay = new Date(Date.parse(`${day}T00:00Z`) || 0).toISOString().startsWith(day);
  return start >= 0 && isValidDay ? { start, isDay: time === undefined } : undefined;
}

/** Throws a usage error if a flag of `serve` precedes a subcommand, where it would be ignored. */
export function rejectServeFlags(serve: AnyCommand, subcommand: AnyCommand): void {
  const ignored = serve.options.find(
    (option) => option.helpGroupHeading !== globalGroup && serve.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (!ignored) return;
  throw invalidFlag(
    `${ignored.long} before "${subcommand.name()}" has no effect, because this command starts no server`,
    'put the flags after the subcommand, such as petstore serve keys list --database pets.db',
  );
}
