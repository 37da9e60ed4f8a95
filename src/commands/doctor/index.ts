import { curlFlag } from '../../ports/flag.js';
import type { Noun } from '../../ports/frame.js';

export const doctor: Noun = {
  name: 'doctor',
  purpose: 'Check everything that petstore needs, with at most one request.',
  declare: (command, { act, examples }) => {
    command
      .option(...curlFlag)
      .action(
        act(async (context) => (await import('./doctor.js')).doctor(context), { tolerant: true }),
      );
    examples(command, [['petstore doctor --profile production', 'why does it not work?']]);
  },
};
