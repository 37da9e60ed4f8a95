import { action } from '../../app/action.js';
import { addColumns, addExamples, addNotes, defineCommand } from '../../cli/command-spec.js';
import { curlFlag } from '../../cli/flags.js';

export const quota = defineCommand(
  'quota',
  'Show how many requests are left, from what the service last said.',
  (command) => {
    command
      .option('--refresh', 'spend one request to know it now')
      .option(...curlFlag)
      .action(action(async () => (await import('./quota.js')).quota));
    addColumns(command, async () => (await import('./quota.js')).columns);
    addExamples(command, [
      ['petstore quota', 'what is left, without spending any'],
      ["petstore quota --json | jq '.remaining'", 'the number for a script'],
    ]);
    addNotes(
      command,
      'All petstore processes of this user share what they know of a quota, by service and key. What is left is reserved before a request is sent; while the service refuses, none of them sends anything. A wait longer than `--max-wait` is exit code 6.',
    );
  },
);
