import { action } from '../../app/action.js';
import { defineCommand } from '../../cli/command-spec.js';

export const quota = defineCommand('quota', 'Show how many requests are left.', () => ({
  declare: (command) =>
    command
      .option('--refresh', 'send one request to update the quota')
      .option('--reset', 'delete the saved quota, for example after a limit was raised')
      .action(action(async () => (await import('./quota.js')).quota)),
  output: [
    { key: 'profile', type: 'string' },
    { key: 'limit', type: 'integer', optional: true, format: 'count' },
    { key: 'remaining', type: 'integer', optional: true, format: 'count' },
    { key: 'resetAt', type: 'string', optional: true, format: 'time' },
    { key: 'window', type: 'string', optional: true },
    { key: 'windows', type: 'object', optional: true },
    { key: 'seenAt', type: 'string', optional: true, format: 'time' },
    { key: 'blockedUntil', type: 'string', optional: true, format: 'time' },
    { key: 'quotaStore', type: 'string', optional: true },
  ],
  examples: [
    ['petstore quota', 'Show the quota without sending a request'],
    ['petstore quota --reset --yes', 'Delete the saved quota after a limit was raised'],
    ["petstore quota --json | jq '.remaining'", 'Print the number of requests left'],
  ],
}));
