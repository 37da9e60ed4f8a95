import type { Noun } from '../../ports/frame.js';
import type { LoginOptions } from './login.js';
import type { StatusOptions } from './status.js';

export const auth: Noun = (program, { act, examples }) => {
  const noun = program.command('auth').description('Keep the API keys of profiles.');

  const login = noun
    .command('login')
    .description(
      'Verify an API key with one request, store it, and make its profile the current one.',
    )
    .option('--with-key', 'read the key from standard input')
    .option('--keyring', 'store it in the system keyring, where that works')
    .action(
      act(async (context, options: LoginOptions) =>
        (await import('./login.js')).login(context, options),
      ),
    );
  examples(login, [
    ['petstore auth login', 'log in, with questions'],
    [
      'petstore auth login -p staging --base-url https://staging.example.com/v1 --with-key < key.txt',
      'log in to staging with a key from a file',
    ],
  ]);

  noun
    .command('logout')
    .description('Forget the key of a profile.')
    .action(act(async (context) => (await import('./logout.js')).logout(context)));

  const status = noun
    .command('status')
    .description(
      'Show which key would be used, and where it comes from, without sending a request.',
    )
    .option('--check', 'send one request to see whether the service takes the key')
    .action(
      act(async (context, options: StatusOptions) =>
        (await import('./status.js')).status(context, options),
      ),
    );
  examples(status, [['petstore auth status --profile production --check', 'is the key good?']]);

  const token = noun
    .command('token')
    .description('Print the key of a profile: the only command that does.')
    .action(act(async (context) => (await import('./token.js')).token(context)));
  examples(token, [
    ['PETSTORE_API_KEY=$(petstore auth token) ./my-script', 'hand the key to another program'],
  ]);
};
