import { tolerantAction } from '../../app/action.js';
import { defineCommand } from '../../cli/command-spec.js';
import { anyText, prompted } from '../../cli/flags.js';

/** If the current profile was deleted, another one can still be selected. */
export const profile = defineCommand('profile', 'Manage profiles and switch between them.', () => ({
  examples: [
    ['petstore profile list', 'List all profiles'],
    ['petstore profile use staging', 'Switch to staging'],
  ],
  commands: [list, use, set, remove],
}));

const list = defineCommand('list', 'List all profiles and mark the current one.', () => ({
  declare: (command) => command.action(tolerantAction(async () => (await import('./list.js')).list)),
  output: [
    { key: 'name', type: 'string' },
    { key: 'current', type: 'boolean' },
    { key: 'baseUrl', type: 'string | null', canShrink: true },
    { key: 'output', type: 'string | null' },
    { key: 'key', type: 'string | null' },
    { key: 'readOnly', type: 'boolean' },
  ],
  examples: [['petstore profile list', 'List all profiles']],
}));

const use = defineCommand('use', 'Switch to a profile.', () => ({
  declare: (command) =>
    command
      .argument('[name]', 'profile to switch to', prompted(anyText('profile')))
      .action(tolerantAction(async () => (await import('./change.js')).use)),
  examples: [['petstore profile use sandbox', 'Switch back to the sandbox']],
}));

const set = defineCommand('set', 'Create a profile or change its defaults.', () => ({
  declare: (command) =>
    command
      .argument('<name>', 'profile to create or change', anyText('profile'))
      .option('--read-only', 'reject requests that change data')
      .option('--no-read-only', 'allow requests that change data')
      .action(tolerantAction(async () => (await import('./change.js')).set)),
  examples: [
    ['petstore profile set staging --base-url https://staging.example.com/v1', 'Set the base URL of staging'],
    ['petstore profile set production --output json', 'Print JSON by default for production'],
    ['petstore profile set production --read-only', 'Reject changes to the data of production'],
  ],
}));

const remove = defineCommand('remove', 'Delete or reset a profile, and delete its API key.', () => ({
  declare: (command) =>
    command
      .argument('<name>', 'profile to delete; a built-in profile is reset', anyText('profile'))
      .action(tolerantAction(async () => (await import('./change.js')).remove)),
  examples: [['petstore profile remove staging', 'Reset staging and delete its API key']],
}));
