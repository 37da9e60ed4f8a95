import type { Noun } from '../../ports/frame.js';
import type { LoginOptions } from './login.js';

export const auth: Noun = (program, { act, examples }) => {
  const noun = program.command('auth').description('Store the API key of a profile.');

  const login = noun
    .command('login')
    .description(
      'Verify an API key with one request, store it, and make its profile the current one.',
    )
    .option('--with-key', 'read the key from standard input')
    .action(
      act(async (context, options: LoginOptions) =>
        (await import('./login.js')).login(context, options),
      ),
    );
  examples(login, [
    [
      'petstore auth login -p staging --base-url https://staging.example.com/v1 --with-key < key.txt',
      'log in to staging with a key from a file',
    ],
  ]);
};
