import { action } from '../../app/action.js';
import { addExamples, defineCommand } from '../../cli/command-spec.js';

export const quota = defineCommand('quota', 'Show how many requests are left.', (command) => {
  command
    .option('--refresh', 'send one request to update the quota')
    .option('--reset', 'delete the saved quota, for example after a limit was raised')
    .action(action(async () => (await import('./quota.js')).quota));
  addExamples(command, [
    ['petstore quota', 'Show the quota without sending a request'],
    ['petstore quota --reset --yes', 'Delete the saved quota after a limit was raised'],
    ["petstore quota --json | jq '.remaining'", 'Print the number of requests left'],
  ]);
});
