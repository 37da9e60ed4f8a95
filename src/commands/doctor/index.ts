import { tolerantAction } from '../../app/action.js';
import { defineCommand } from '../../cli/command-spec.js';

export const doctor = defineCommand('doctor', 'Diagnose setup and connectivity problems.', () => ({
  declare: (command) => command.action(tolerantAction(async () => (await import('./doctor.js')).doctor)),
  output: [
    { key: 'check', type: 'string' },
    { key: 'status', type: 'string' },
    { key: 'detail', type: 'string', optional: true, canShrink: true },
    { key: 'advice', type: 'string', optional: true, canShrink: true },
  ],
  examples: [['petstore doctor --profile production', 'Find out why production does not work']],
}));
