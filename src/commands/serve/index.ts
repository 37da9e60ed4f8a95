import { action } from '../../app/action.js';
import { defineCommand, deploymentGroup } from '../../cli/command-spec.js';
import { anyText, choice, repeatable, seconds, wholeNumber } from '../../cli/flags.js';
import { logFormats } from '../../server/server-options.js';
import {
  collectFaults,
  collectHosts,
  collectNetworks,
  parseTime,
  perDayFlag,
  perMinuteFlag,
  planFlag,
  rejectServeFlags,
  variablePrefix,
} from './flags.js';
import { keys } from './keys/index.js';

export const serve = defineCommand('serve', 'Run a local petstore server.', () => ({
  declare: (command) => {
    command
      .optionsGroup('Connection flags:')
      .option('--port <n>', 'port to listen on; 0 picks a free port', wholeNumber('--port', 0, 65_535), 4010)
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .optionsGroup('Operation flags:')
      .option(
        '--log <format>',
        `format of the log on stderr: ${logFormats.join(', ')}`,
        choice('--log', logFormats),
        'text' as const,
      )
      .optionsGroup('Data flags:')
      .option(
        '--api-key-file <file>',
        'read the API key from this file (default: create a key on first start)',
        anyText('file'),
      )
      .option(
        '--database <file>',
        'SQLite path, postgres:// URL, or :memory: (not persisted) (default: a file in the data directory)',
        anyText('file'),
      )
      .optionsGroup('Limit flags:')
      .option(...planFlag)
      .option(...perMinuteFlag)
      .option(...perDayFlag)
      .optionsGroup('Fault injection flags:')
      .option('--latency <ms>', 'delay each response by this many milliseconds', wholeNumber('--latency', 0, 20_000))
      .option(
        '--fault <fault>',
        'inject failures with a probability, such as 503:0.05 or reset:0.01; seed:42 makes them reproducible (repeatable)',
        repeatable(collectFaults),
      )
      .option('--clock <time>', 'simulated start time, such as 2030-12-06 or 2030-12-04T23:59:50Z (UTC)', parseTime)
      .optionsGroup(deploymentGroup)
      .option('--allow-host <name>', 'additional host name to accept (repeatable)', repeatable(collectHosts))
      .option(
        '--trust-proxy <cidr>',
        'network of reverse proxies whose X-Forwarded-For header to use (repeatable)',
        repeatable(collectNetworks),
      )
      .option(
        '--drain <seconds>',
        'time to respond to further requests after SIGINT or SIGTERM, while GET /readyz responds with 503',
        seconds('--drain', 0, 'from 0 to 86400'),
        0,
      )
      .option(
        '--metrics-port <n>',
        'serve Prometheus metrics on this port; 0 picks a free port',
        wholeNumber('--metrics-port', 0, 65_535),
      )
      .action(action(async () => (await import('./serve.js')).serve));
    command.hook('preSubcommand', (_, subcommand) => rejectServeFlags(command, subcommand));
  },
  variables: { prefix: variablePrefix },
  output: [
    { key: 'baseUrl', type: 'string' },
    { key: 'metricsUrl', type: 'string', optional: true },
    { key: 'apiKey', type: 'string', optional: true },
    { key: 'keyPrefix', type: 'string', optional: true },
    { key: 'database', type: 'string' },
  ],
  examples: [
    ['petstore serve', 'Serve on http://127.0.0.1:4010/v1'],
    ['petstore serve --port 0 --database :memory: --json', 'Start a temporary server for a test'],
    ['PETSTORE_SERVE_PORT=0 petstore serve', 'Set a flag with its environment variable'],
    ['petstore serve --latency 200 --fault 503:0.05 --fault seed:1', 'Simulate a slow and unreliable service'],
    ['petstore serve keys create --plan pro --label ci', 'Create another API key'],
    [
      'petstore serve --clock 2030-12-06 --database :memory:',
      'Simulate the day after the removal of `GET /pets/{petId}`',
    ],
  ],
  commands: [keys],
}));
