import { planNames } from '../../api/plan.js';
import type { FaultInjection } from '../../app/server-control.js';
import { anyText, choice, invalidFlag, wholeNumber } from '../../cli/flag-parsers.js';

/** The flags that tell where the database is, and what a key may send: of `serve` and of its keys. */
export const databaseFlag = [
  '--database <file>',
  'or postgres://user@host/name; :memory: is forgotten (default: in the data directory)',
  anyText('file'),
] as const;

export const planFlag = [
  '--plan <plan>',
  planNames.join(', '),
  choice('--plan', planNames),
] as const;

export const perMinuteFlag = [
  '--per-minute <n>',
  'requests a minute, with --plan enterprise',
  wholeNumber('--per-minute', 1, 1e12),
] as const;

export const perDayFlag = [
  '--per-day <n>',
  'requests a day, with --plan enterprise',
  wholeNumber('--per-day', 1, 1e12),
] as const;

/** Adds a host name; fails (usage) on what is none. */
export function collectHosts(text: string, before: readonly string[] = []): readonly string[] {
  if (!/^[A-Za-z0-9._-]{1,253}$|^(?=.*:.*:)[0-9A-Fa-f:.]{2,45}$/.test(text)) {
    throw invalidFlag('--allow-host must be a host name or an address, without scheme and port');
  }
  return [...before, text];
}

/** Adds faults, or their seed, from `503:0.05`, `reset:0.01` or `seed:42`, several with commas between. */
export function collectFaults(
  text: string,
  before: FaultInjection = { faults: [] },
): FaultInjection {
  return text.split(',').reduce(withFault, before);
}

function withFault(before: FaultInjection, text: string): FaultInjection {
  const [, kind = '', number = ''] =
    /^(reset|seed|[45][0-9]{2}):([0-9]+(?:\.[0-9]+)?)$/.exec(text) ?? [];
  const value = number === '' ? Number.NaN : Number(number);
  if (kind === 'seed' && Number.isInteger(value) && value < 2 ** 32) {
    return { ...before, seed: value };
  }
  if (kind === 'seed' || !(value >= 0 && value <= 1)) {
    throw invalidFlag(
      `--fault must be a status or "reset" and a probability, such as 503:0.05, or seed:42, not "${text}"`,
    );
  }
  const fault = { kind: kind === 'reset' ? kind : Number(kind), probability: value } as const;
  return { ...before, faults: [...before.faults, fault] };
}

/** A day or a time in ISO 8601, in milliseconds since the Unix epoch; UTC unless it names another zone. */
export function parseTime(text: string): number {
  const [, day = '', time = 'T00:00', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?(Z|[+-]\d{2}:\d{2})?$/.exec(
      text,
    ) ?? [];
  const start = Date.parse(`${day}${time}${zone}`);
  // A day that its month does not have would be read as one of the next.
  const isDay = new Date(Date.parse(`${day}T00:00Z`) || 0).toISOString().startsWith(day);
  if (Number.isNaN(start) || start < 0 || !isDay) {
    throw invalidFlag(
      `--clock must be a day or a time such as 2030-12-06 or 2030-12-06T08:30:00Z, not "${text}"`,
    );
  }
  return start;
}
