import { tolerantAction } from '../../app/action.js';
import { addExamples, addOutput, defineCommand } from '../../cli/command-spec.js';

export const doctor = defineCommand('doctor', 'Diagnose setup and connectivity problems.', (command) => {
  command.action(tolerantAction(async () => (await import('./doctor.js')).doctor));
  addOutput(command, [
    { key: 'check', type: 'string' },
    { key: 'status', type: 'string' },
    { key: 'detail', type: 'string', optional: true, canShrink: true },
    { key: 'advice', type: 'string', optional: true, canShrink: true },
  ]);
  addExamples(command, [['petstore doctor --profile production', 'Find out why production does not work']]);
});
