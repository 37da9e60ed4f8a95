import { action } from '../../app/action.js';
import { addColumns, addExamples, addNotes, defineCommand } from '../../cli/command-spec.js';
import { curlFlag } from '../../cli/flags.js';
import { addSubcommands } from '../../cli/program.js';

export const auth = defineCommand('auth', 'Keep the API keys of profiles.', (group) => {
  addExamples(group, [
    ['petstore auth login', 'log in, with questions'],
    ['petstore auth status', 'which key would be used?'],
  ]);
  addSubcommands(group, [login, logout, status, token]);
});

const login = defineCommand(
  'login',
  'Verify an API key with one request, store it, and make its profile the current one.',
  (command) => {
    command
      .option('--with-key', 'read the key from standard input')
      .option('--keyring', 'store it in the system keyring, where that works')
      .action(action(async () => (await import('./login.js')).login));
    addExamples(command, [
      ['petstore auth login', 'log in, with questions'],
      [
        'petstore auth login -p staging --base-url https://staging.example.com/v1 --with-key < key.txt',
        'log in to staging with a key from a file',
      ],
    ]);
    addNotes(
      command,
      'The key is bound to the origin at which it was verified, and goes nowhere else. It lives in a file of mode 0600 in a directory of mode 0700, or with `--keyring` in the system keyring, once that is proven to work.',
      'A key is never taken from an argument. The sandbox has its own key and takes no other.',
    );
  },
);

const logout = defineCommand('logout', 'Forget the key of a profile.', (command) => {
  command.action(action(async () => (await import('./login.js')).logout));
  addExamples(command, [['petstore auth logout --profile staging', 'forget the key of staging']]);
});

const status = defineCommand(
  'status',
  'Show which key would be used, and where it comes from, without sending a request.',
  (command) => {
    command
      .option('--check', 'send one request to see whether the service takes the key')
      .option(...curlFlag)
      .action(action(async () => (await import('./status.js')).status));
    addColumns(command, async () => (await import('./status.js')).columns);
    addExamples(command, [['petstore auth status --check', 'is the key good?']]);
  },
);

const token = defineCommand('token', 'Print the key of a profile: the only command that does.', (command) => {
  command.action(action(async () => (await import('./status.js')).token));
  addColumns(command, async () => (await import('./status.js')).tokenColumns);
  addExamples(command, [['PETSTORE_API_KEY=$(petstore auth token) ./my-script', 'hand the key to another program']]);
});
