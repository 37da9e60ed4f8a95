import { action } from '../../../app/action.js';
import { defineCommand, type OutputField } from '../../../cli/command-spec.js';
import { anyText } from '../../../cli/flags.js';
import {
  databaseVariable,
  parseExpiry,
  parseLabel,
  parseOverlap,
  perDayFlag,
  perMinuteFlag,
  planFlag,
  serverDatabaseFlag,
} from '../flags.js';

export const keys = defineCommand('keys', 'Manage the API keys of a server.', () => ({
  examples: [
    ['petstore serve keys create --plan pro --label ci', 'Create an API key for one client'],
    ['petstore serve keys list', 'List the API keys and their remaining quota'],
    ['petstore serve keys rotate ci', 'Replace the API key labeled ci; the old one works for another day'],
  ],
  commands: [createKey, listKeys, updateKey, rotateKey, revokeKey],
}));

const createKey = defineCommand('create', 'Create an API key and print it once.', () => ({
  declare: (command) =>
    command
      .optionsGroup('Limit flags:')
      .option(...planFlag)
      .option(...perMinuteFlag)
      .option(...perDayFlag)
      .optionsGroup('Data flags:')
      .option(...labelFlag)
      .option(...expiresFlag)
      .option(...serverDatabaseFlag)
      .action(action(async () => (await import('./actions.js')).create)),
  variables: databaseVariable,
  output: newKeyFields,
  examples: [
    [
      'petstore serve keys create --plan pro --label ci --json',
      'Create an API key with the Pro plan and print it as JSON',
    ],
    ['petstore serve keys create --per-minute 5000 --per-day 200000', 'Create an API key with custom limits'],
  ],
}));

const listKeys = defineCommand('list', 'List the API keys and their remaining quota.', () => ({
  declare: (command) =>
    command
      .optionsGroup('Data flags:')
      .option(...serverDatabaseFlag)
      .action(action(async () => (await import('./actions.js')).list)),
  variables: databaseVariable,
  output: [
    ...keyFields,
    { key: 'minuteLeft', type: 'integer', format: 'count' },
    { key: 'dayLeft', type: 'integer', format: 'count' },
    { key: 'bannedUntil', type: 'string | null', title: 'BAN ENDS', format: 'time' },
    { key: 'expiresAt', type: 'string | null', title: 'EXPIRES', format: 'time' },
    { key: 'createdAt', type: 'string', title: 'CREATED', format: 'time' },
    { key: 'successor', type: 'string | null' },
    { key: 'label', type: 'string | null', canShrink: true },
  ],
  examples: [['petstore serve keys list --json', 'Print the API keys and their quotas as JSON']],
}));

const updateKey = defineCommand('update', 'Change the limits, label or expiry of an API key.', () => ({
  declare: (command) =>
    command
      .argument(...keyArgument)
      .optionsGroup('Limit flags:')
      .option(...planFlag)
      .option(...perMinuteFlag)
      .option(...perDayFlag)
      .optionsGroup('Data flags:')
      .option(...labelFlag)
      .option(...expiresFlag)
      .option(...serverDatabaseFlag)
      .action(action(async () => (await import('./actions.js')).update)),
  variables: databaseVariable,
  examples: [
    ['petstore serve keys update ci --plan business', 'Give the API key labeled ci the limits of another plan'],
    ['petstore serve keys update ci --expires 2030-12-31', 'Expire the API key labeled ci after a date'],
  ],
}));

const rotateKey = defineCommand('rotate', 'Create an API key that replaces another.', () => ({
  declare: (command) =>
    command
      .argument(...keyArgument)
      .optionsGroup('Data flags:')
      .option(
        '--overlap <duration>',
        'time for which the old API key stays valid, such as 30s, 15m or 7d (default: 24h)',
        parseOverlap,
      )
      .option(...serverDatabaseFlag)
      .action(action(async () => (await import('./actions.js')).rotate)),
  variables: databaseVariable,
  output: newKeyFields,
  examples: [
    ['petstore serve keys rotate ci --json', 'Replace the API key labeled ci and print the new one as JSON'],
    ['petstore serve keys rotate ci --overlap 0s', 'Replace an API key and expire the old one at once'],
  ],
}));

const revokeKey = defineCommand('revoke', 'Revoke an API key.', () => ({
  declare: (command) =>
    command
      .argument(...keyArgument)
      .optionsGroup('Data flags:')
      .option(...serverDatabaseFlag)
      .action(action(async () => (await import('./actions.js')).revoke)),
  variables: databaseVariable,
  examples: [['petstore serve keys revoke ci --yes', 'Revoke the API key labeled ci without a prompt']],
}));

const keyArgument = [
  '<key>',
  'first characters of the API key, or its label; never the full key',
  anyText('key-label'),
] as const;

const labelFlag = ['--label <text>', 'purpose of the API key, 1 to 100 characters', parseLabel] as const;

const expiresFlag = [
  '--expires <date>',
  'last day of the API key (UTC), an RFC 3339 time, or never',
  parseExpiry,
] as const;

const keyFields: readonly OutputField[] = [
  { key: 'keyPrefix', type: 'string' },
  { key: 'plan', type: 'string' },
  { key: 'perMinute', type: 'integer', format: 'count' },
  { key: 'perDay', type: 'integer', format: 'count' },
];

const newKeyFields: readonly OutputField[] = [
  { key: 'apiKey', type: 'string' },
  ...keyFields,
  { key: 'label', type: 'string | null' },
  { key: 'expiresAt', type: 'string | null', title: 'EXPIRES', format: 'time' },
  { key: 'database', type: 'string' },
];
