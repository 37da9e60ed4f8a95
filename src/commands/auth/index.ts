import { action, tolerantAction } from '../../app/action.js';
import { addExamples, addOutput, defineCommand } from '../../cli/command-spec.js';
import { addSubcommands } from '../../cli/program.js';

export const auth = defineCommand('auth', 'Log in, log out, and manage API keys.', (group) => {
  addExamples(group, [
    ['petstore auth login', 'Log in with prompts'],
    ['petstore auth status', 'Show the API key in use and its source'],
  ]);
  addSubcommands(group, [login, logout, status, token]);
});

const login = defineCommand('login', 'Verify an API key, save it, and switch to its profile.', (command) => {
  command
    .option('--with-key', 'read the API key from stdin')
    .option('--keyring', 'save the API key in the system keyring')
    .action(tolerantAction(async () => (await import('./login.js')).login));
  addExamples(command, [
    ['petstore auth login', 'Log in with prompts'],
    [
      'petstore auth login -p staging --base-url https://staging.example.com/v1 --with-key < key.txt',
      'Log in to staging with an API key from a file',
    ],
  ]);
});

const logout = defineCommand('logout', 'Delete the API key of a profile.', (command) => {
  command.action(action(async () => (await import('./login.js')).logout));
  addExamples(command, [['petstore auth logout --profile staging', 'Log out of staging']]);
});

const status = defineCommand('status', 'Show the API key in use and its source.', (command) => {
  command
    .option('--check', 'verify the API key with one request')
    .action(action(async () => (await import('./status.js')).status));
  addOutput(command, [
    { key: 'profile', type: 'string' },
    { key: 'baseUrl', type: 'string | null' },
    { key: 'key', type: 'string | null' },
    { key: 'source', type: 'string | null' },
    { key: 'storage', type: 'string | null' },
    { key: 'readOnly', type: 'boolean' },
    { key: 'valid', type: 'boolean', optional: true },
  ]);
  addExamples(command, [['petstore auth status --check', 'Check whether the API key is valid']]);
});

const token = defineCommand('token', 'Print the API key of a profile.', (command) => {
  command.action(action(async () => (await import('./status.js')).token));
  addOutput(command, [{ key: 'token', type: 'string' }]);
  addExamples(command, [
    ['PETSTORE_API_KEY=$(petstore auth token) ./my-script', 'Pass the API key to another program'],
  ]);
});
