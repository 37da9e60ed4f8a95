import { action } from '../../app/action.js';
import { addExamples, addTraits, defineCommand } from '../../cli/command-spec.js';
import { curlFlag } from '../../cli/flags.js';

export const doctor = defineCommand('doctor', 'Diagnose setup and connectivity problems.', (command) => {
  command
    .option('--contract', 'send up to ten requests to check whether the server conforms to the API spec')
    .option('--write', 'with --contract: also add a pet and check that it is returned unchanged')
    .option(...curlFlag)
    .action(
      action(async () => (await import('./doctor.js')).doctor, { toleratesBrokenConfig: true, reportsProblems: true }),
    );
  addTraits(command, 'sends-requests', 'writes');
  addExamples(command, [
    ['petstore doctor --profile production', 'Find out why production does not work'],
    ['petstore doctor --contract --yes -p staging', 'Check staging against the API spec'],
  ]);
});
