import { action } from '../../app/action.js';
import { addColumns, addExamples, addNotes, defineCommand } from '../../cli/command-spec.js';
import { curlFlag } from '../../cli/flags.js';

export const doctor = defineCommand('doctor', 'Diagnose setup and connectivity problems.', (command) => {
  command
    .option('--contract', 'send up to ten requests to check whether the server conforms to the API spec')
    .option('--write', 'with --contract: also add a pet and check that it is returned unchanged')
    .option(...curlFlag)
    .action(action(async () => (await import('./doctor.js')).doctor, { toleratesBrokenConfig: true }));
  addColumns(command, async () => (await import('./doctor.js')).columns);
  addExamples(command, [
    ['petstore doctor --profile production', 'Find out why production does not work'],
    ['petstore doctor --contract --yes -p staging', 'Check staging against the API spec'],
  ]);
  addNotes(
    command,
    '`doctor` sends at most one request. A check that cannot run is reported as `skipped`.',
    'With `--contract`, petstore checks whether the server conforms to the API spec. A rule that the server violates is reported as `broken`, and the exit code is 1. A `note` describes behavior that the API spec leaves open, such as paging or the response to `limit=101`. Each line cites a section of `openapi.yaml`.',
    '`--contract` asks for confirmation unless you pass `--yes`. It stops when the quota is used up. It changes no data unless you pass `--write`.',
  );
});
