import type { Word } from '../../cli/command-spec.js';
import { curlFlag } from '../../cli/flag-parsers.js';

export const auth: Word = {
  name: 'auth',
  purpose: 'Keep the API keys of profiles.',
  declare: (noun, { examples, words }) => {
    examples(noun, [
      ['petstore auth login', 'log in, with questions'],
      ['petstore auth status', 'which key would be used?'],
    ]);
    words(noun, [login, logout, status, token]);
  },
};

const login: Word = {
  name: 'login',
  purpose: 'Verify an API key with one request, store it, and make its profile the current one.',
  declare: (command, { act, examples, notes }) => {
    command
      .option('--with-key', 'read the key from standard input')
      .option('--keyring', 'store it in the system keyring, where that works')
      .action(act(async () => (await import('./login.js')).login));
    examples(command, [
      ['petstore auth login', 'log in, with questions'],
      [
        'petstore auth login -p staging --base-url https://staging.example.com/v1 --with-key < key.txt',
        'log in to staging with a key from a file',
      ],
    ]);
    notes(
      command,
      'The key is bound to the origin at which it was verified, and goes nowhere else. It lives in a file of mode 0600 in a directory of mode 0700, or with `--keyring` in the system keyring, once that is proven to work.',
      'A key is never taken from an argument. The sandbox has its own key and takes no other.',
    );
  },
};

const logout: Word = {
  name: 'logout',
  purpose: 'Forget the key of a profile.',
  declare: (command, { act, examples }) => {
    command.action(act(async () => (await import('./logout.js')).logout));
    examples(command, [['petstore auth logout --profile staging', 'forget the key of staging']]);
  },
};

const status: Word = {
  name: 'status',
  purpose: 'Show which key would be used, and where it comes from, without sending a request.',
  declare: (command, { act, columns, examples }) => {
    command
      .option('--check', 'send one request to see whether the service takes the key')
      .option(...curlFlag)
      .action(act(async () => (await import('./status.js')).status));
    columns(command, async () => (await import('./status.js')).columns);
    examples(command, [['petstore auth status --check', 'is the key good?']]);
  },
};

const token: Word = {
  name: 'token',
  purpose: 'Print the key of a profile: the only command that does.',
  declare: (command, { act, columns, examples }) => {
    command.action(act(async () => (await import('./token.js')).token));
    columns(command, async () => (await import('./token.js')).columns);
    examples(command, [
      ['PETSTORE_API_KEY=$(petstore auth token) ./my-script', 'hand the key to another program'],
    ]);
  },
};
