import { action } from '../../app/action.js';
import { addColumns, addExamples, addNotes, defineCommand } from '../../cli/command-spec.js';
import { curlFlag } from '../../cli/flags.js';

export const quota = defineCommand('quota', 'Show how many requests are left.', (command) => {
  command
    .option('--refresh', 'send one request to update the quota')
    .option(...curlFlag)
    .action(action(async () => (await import('./quota.js')).quota));
  addColumns(command, async () => (await import('./quota.js')).columns);
  addExamples(command, [
    ['petstore quota', 'Show the quota without sending a request'],
    ["petstore quota --json | jq '.remaining'", 'Print the number of requests left'],
  ]);
  addNotes(
    command,
    'The quota comes from the last response of the service. No request is sent without `--refresh`.',
    'All your petstore processes share the quota if they use the same service and API key. Each process reserves a request before it sends the request. If the service responds with 429, all processes stop sending requests until the time that the response names.',
    'If a command would have to wait longer than `--max-wait`, it stops, and the exit code is 6.',
  );
});
