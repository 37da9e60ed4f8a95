import { action, tolerantAction } from '../../app/action.js';
import { defineCommand } from '../../cli/command-spec.js';

export const auth = defineCommand('auth', 'Log in, log out, and manage API keys.', () => ({
  examples: [
    ['petstore auth login', 'Log in with prompts'],
    ['petstore auth status', 'Show the API key in use and its source'],
  ],
  commands: [login, logout, status, token],
}));

const login = defineCommand('login', 'Verify an API key, save it, and switch to its profile.', () => ({
  declare: (command) =>
    command
      .option('--with-key', 'read the API key from stdin')
      .option('--keyring', 'save the API key in the system keyring')
      .action(tolerantAction(async () => (await import('./login.js')).login)),
  examples: [
    ['petstore auth login', 'Log in with prompts'],
    [
      'petstore auth login -p staging --base-url https://staging.example.com/v1 --with-key < key.txt',
      'Log in to staging with an API key from a file',
    ],
  ],
}));

const logout = defineCommand('logout', 'Delete the API key of a profile.', () => ({
  declare: (command) => command.action(action(async () => (await import('./login.js')).logout)),
  examples: [['petstore auth logout --profile staging', 'Log out of staging']],
}));

const status = defineCommand('status', 'Show the API key in use and its source.', () => ({
  declare: (command) =>
    command
      .option('--check', 'verify the API key with one request')
      .action(action(async () => (await import('./status.js')).status)),
  output: [
    { key: 'profile', type: 'string' },
    { key: 'baseUrl', type: 'string | null' },
    { key: 'key', type: 'string | null' },
    { key: 'source', type: 'string | null' },
    { key: 'storage', type: 'string | null' },
    { key: 'readOnly', type: 'boolean' },
    { key: 'valid', type: 'boolean', optional: true },
  ],
  examples: [['petstore auth status --check', 'Check whether the API key is valid']],
}));

const token = defineCommand('token', 'Print the API key of a profile.', () => ({
  declare: (command) => command.action(action(async () => (await import('./status.js')).token)),
  output: [{ key: 'token', type: 'string' }],
  examples: [['PETSTORE_API_KEY=$(petstore auth token) ./my-script', 'Pass the API key to another program']],
}));
