import type { Noun } from '../../ports/frame.js';
import type { QuotaOptions } from './quota.js';

export const quota: Noun = (program, { act, examples }) => {
  const command = program
    .command('quota')
    .description('Show how many requests are left, from what the service last said.')
    .option('--refresh', 'spend one request to know it now')
    .action(
      act(async (context, options: QuotaOptions) =>
        (await import('./quota.js')).quota(context, options),
      ),
    );
  examples(command, [
    ['petstore quota', 'what is left, without spending any'],
    ["petstore quota --json | jq '.remaining'", 'the number for a script'],
  ]);
};
