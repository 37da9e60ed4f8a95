import { planNames } from '../../api/plan.js';
import { type AnyCommand, globalGroup } from '../../cli/command-spec.js';
import { anyText, choice, invalidFlag, wholeNumber } from '../../cli/flags.js';
import type { FaultFlag } from '../../server/server-options.js';
import { parseIsoTime } from './keys/flag-values.js';

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
