import { curlFlag } from '../../ports/flag.js';
import type { Noun } from '../../ports/frame.js';

export const auth: Noun = {
  name: 'auth',
  purpose: 'Keep the API keys of profiles.',
  declare: (noun, { act, examples, notes }) => {
    examples(noun, [
      ['petstore auth login', 'log in, with questions'],
      ['petstore auth status', 'which key would be used?'],
    ]);

    const login = noun
      .command('login')
      .description(
        'Verify an API key with one request, store it, and make its profile the current one.',
      )
      .option('--with-key', 'read the key from standard input')
      .option('--keyring', 'store it in the system keyring, where that works')
      .action(act(async () => (await import('./login.js')).login));
    examples(login, [
      ['petstore auth login', 'log in, with questions'],
      [
        'petstore auth login -p staging --base-url https://staging.example.com/v1 --with-key < key.txt',
        'log in to staging with a key from a file',
      ],
    ]);
    notes(
      login,
      'The key is bound to the origin at which it was verified, and goes nowhere else. It lives in a file of mode 0600 in a directory of mode 0700, or with `--keyring` in the system keyring, once that is proven to work.',
      'A key is never taken from an argument. The sandbox has its own key and takes no other.',
    );

    const logout = noun
      .command('logout')
      .description('Forget the key of a profile.')
      .action(act(async () => (await import('./logout.js')).logout));
    examples(logout, [['petstore auth logout --profile staging', 'forget the key of staging']]);

    const status = noun
      .command('status')
      .description(
        'Show which key would be used, and where it comes from, without sending a request.',
      )
      .option('--check', 'send one request to see whether the service takes the key')
      .option(...curlFlag)
      .action(act(async () => (await import('./status.js')).status));
    examples(status, [['petstore auth status --check', 'is the key good?']]);

    const token = noun
      .command('token')
      .description('Print the key of a profile: the only command that does.')
      .action(act(async () => (await import('./token.js')).token));
    examples(token, [
      ['PETSTORE_API_KEY=$(petstore auth token) ./my-script', 'hand the key to another program'],
    ]);
  },
};
