import { planNames } from '../../contract/plan.js';
import { choice } from '../../ports/flag.js';
import type { Noun } from '../../ports/frame.js';

export const sandbox: Noun = {
  name: 'sandbox',
  purpose: 'Look after the built-in store.',
  declare: (noun, { act, examples }) => {
    examples(noun, [['petstore sandbox status', 'where its data lies, and what it allows']]);

    const status = noun
      .command('status')
      .description('Show where the data of the sandbox lies, and its plan.')
      .action(act(async () => (await import('./status.js')).status));
    examples(status, [['petstore sandbox status --json', 'the same for a script']]);

    const plan = noun
      .command('plan')
      .description('Change the limits of the sandbox; its pets stay.')
      .argument('<plan>', planNames.join(', '), choice('the plan', planNames))
      .action(act(async () => (await import('./plan.js')).plan));
    examples(plan, [['petstore sandbox plan enterprise', 'when 60 requests a minute are too few']]);

    const reset = noun
      .command('reset')
      .description('Put the sample animals back and start the quota anew.')
      .option('--plan <plan>', planNames.join(', '), choice('--plan', planNames))
      .option('--empty', 'without any animals')
      .action(act(async () => (await import('./reset.js')).reset));
    examples(reset, [['petstore sandbox reset --yes', 'as on the first day, unasked']]);
  },
};
