import { action } from '../../app/action.js';
import { addExamples, defineCommand } from '../../cli/command-spec.js';

export const doctor = defineCommand('doctor', 'Diagnose setup and connectivity problems.', (command) => {
  command.action(
    action(async () => (await import('./doctor.js')).doctor, { toleratesBrokenConfig: true, reportsProblems: true }),
  );
  addExamples(command, [['petstore doctor --profile production', 'Find out why production does not work']]);
});
