import { action } from '../../app/action.js';
import { addColumns, addExamples, addNotes, defineCommand } from '../../cli/command-spec.js';
import { curlFlag } from '../../cli/flags.js';

export const doctor = defineCommand(
  'doctor',
  'Check all that petstore needs, with at most one request; or what a store is like.',
  (command) => {
    command
      .option('--contract', 'ask the service how it keeps the interface, with up to ten requests')
      .option('--write', 'with --contract: add a pet, too, to see whether it comes back as it was')
      .option(...curlFlag)
      .action(action(async () => (await import('./doctor.js')).doctor, { toleratesBrokenConfig: true }));
    addColumns(command, async () => (await import('./doctor.js')).columns);
    addExamples(command, [
      ['petstore doctor --profile production', 'why does it not work?'],
      ['petstore doctor --contract --yes -p staging', 'what is this store like?'],
    ]);
    addNotes(
      command,
      'With `--contract` the service is asked how it fills what the interface leaves open (paging, limits out of range, the window that the headers tell of, deprecation, error codes, orders, exact 64-bit numbers), and where it breaks what the interface says. Each line names the section; `broken` makes the exit code 1. It asks first, or takes `--yes`, stops where the quota is used up, and changes nothing unless `--write`.',
    );
  },
);
