import { planNames } from '../../api/plan.js';
import type { Word } from '../../cli/command-spec.js';
import { choice } from '../../cli/flag-parsers.js';

export const sandbox: Word = {
  name: 'sandbox',
  purpose: 'Look after the built-in store.',
  declare: (noun, { examples, words }) => {
    examples(noun, [['petstore sandbox status', 'where its data lies, and what it allows']]);
    words(noun, [status, plan, reset]);
  },
};

const status: Word = {
  name: 'status',
  purpose: 'Show where the data of the sandbox lies, and its plan.',
  declare: (command, { act, columns, examples }) => {
    command.action(act(async () => (await import('./status.js')).status));
    columns(command, async () => (await import('./status.js')).columns);
    examples(command, [['petstore sandbox status --json', 'the same for a script']]);
  },
};

const plan: Word = {
  name: 'plan',
  purpose: 'Change the limits of the sandbox; its pets stay.',
  declare: (command, { act, examples }) => {
    command
      .argument('<plan>', planNames.join(', '), choice('the plan', planNames))
      .action(act(async () => (await import('./plan.js')).plan));
    examples(command, [
      ['petstore sandbox plan enterprise', 'when 60 requests a minute are too few'],
    ]);
  },
};

const reset: Word = {
  name: 'reset',
  purpose: 'Put the sample animals back and start the quota anew.',
  declare: (command, { act, examples }) => {
    command
      .option('--plan <plan>', planNames.join(', '), choice('--plan', planNames))
      .option('--empty', 'without any animals')
      .action(act(async () => (await import('./reset.js')).reset));
    examples(command, [['petstore sandbox reset --yes', 'as on the first day, unasked']]);
  },
};
