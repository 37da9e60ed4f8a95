import { petFields } from '../api/pet.js';

/** A field of the JSON that a command prints, or of each record in its list. */
export interface OutputField {
  readonly name: string;
  /** A type of JSON, or several with ` | ` between them. */
  readonly type: string;
  readonly optional: boolean;
}

/** Returns the fields of a command's JSON; none if the service or nothing determines them. `words` begin with `petstore`. */
export function findOutputFields(words: readonly string[]): readonly OutputField[] {
  const path = words.slice(1).join(' ');
  const fields = Object.hasOwn(outputs, path) ? (outputs[path] ?? {}) : {};
  return Object.entries(fields).map(([name, type]) => ({
    name,
    type: type.replace('?', ''),
    optional: type.endsWith('?'),
  }));
}

/** The types of fields by their names. A question mark ends the type of an optional field. */
type Fields = Readonly<Record<string, string>>;

const pet: Fields = Object.fromEntries(
  petFields.map(({ name, type, required }) => [
    name,
    `${type === 'int64' ? 'integer' : 'string'}${required ? '' : '?'}`,
  ]),
);

const setting: Fields = { name: 'string', value: 'string | number | boolean', source: 'string' };

const key: Fields = {
  keyPrefix: 'string',
  plan: 'string',
  perMinute: 'integer',
  perDay: 'integer',
  label: 'string | null',
  expiresAt: 'string | null',
};

const createdKey: Fields = { apiKey: 'string', ...key, database: 'string' };

/**
 * The fields of all JSON, by command. They are apart from the commands, since startup reads the declarations of commands
 * but no fields.
 */
export const outputs: Readonly<Record<string, Fields>> = {
  'pets list': pet,
  'pets add': pet,
  'pets get': pet,
  'pets import': {
    added: 'integer',
    skipped: 'integer',
    rejected: 'integer',
    unknown: 'integer',
    notSent: 'integer',
    seconds: 'number',
    rowsPerSecond: 'number',
    unknownRows: 'array?',
    rejectedRows: 'array?',
    journal: 'string?',
  },
  'pets export': pet,
  'orders list': {},
  'auth status': {
    profile: 'string',
    baseUrl: 'string | null',
    key: 'string | null',
    source: 'string | null',
    storage: 'string | null',
    readOnly: 'boolean',
    valid: 'boolean?',
  },
  'auth token': { token: 'string' },
  'profile list': {
    name: 'string',
    current: 'boolean',
    baseUrl: 'string | null',
    output: 'string | null',
    key: 'string | null',
    readOnly: 'boolean',
  },
  'config list': setting,
  'config get': setting,
  quota: {
    profile: 'string',
    limit: 'integer?',
    remaining: 'integer?',
    resetAt: 'string?',
    window: 'string?',
    windows: 'object?',
    seenAt: 'string?',
    blockedUntil: 'string?',
    quotaStore: 'string?',
  },
  api: {},
  'sandbox status': {
    path: 'string',
    pets: 'integer',
    plan: 'string',
    perMinute: 'integer',
    perDay: 'integer',
  },
  serve: {
    baseUrl: 'string',
    metricsUrl: 'string?',
    apiKey: 'string?',
    keyPrefix: 'string?',
    database: 'string',
  },
  'serve keys create': createdKey,
  'serve keys list': {
    ...key,
    minuteLeft: 'integer',
    dayLeft: 'integer',
    bannedUntil: 'string | null',
    createdAt: 'string',
    successor: 'string | null',
  },
  'serve keys rotate': createdKey,
  doctor: { check: 'string', status: 'string', detail: 'string?', advice: 'string?' },
  help: {
    commands: 'array',
    globalFlags: 'array?',
    settings: 'array?',
    exitCodes: 'array?',
    errorCodes: 'array?',
  },
};
