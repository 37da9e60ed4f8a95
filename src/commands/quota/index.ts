import { action } from '../../app/action.js';
import { addExamples, addTraits, defineCommand } from '../../cli/command-spec.js';
import { curlFlag } from '../../cli/flags.js';

export const quota = defineCommand('quota', 'Show how many requests are left.', (command) => {
  command
    .option('--refresh', 'send one request to update the quota')
    .option('--watch', 'show the quota until Ctrl-C, without sending requests')
    .option(...curlFlag)
    .action(action(async () => (await import('./quota.js')).quota));
  addTraits(command, 'sends-requests', 'runs-until-canceled');
  addExamples(command, [
    ['petstore quota', 'Show the quota without sending a request'],
    ['petstore quota --watch', 'Watch the quota while other commands use it'],
    ["petstore quota --json | jq '.remaining'", 'Print the number of requests left'],
  ]);
});
