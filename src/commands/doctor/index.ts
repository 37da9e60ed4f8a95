import type { Noun } from '../../ports/frame.js';

export const doctor: Noun = (program, { act, examples }) => {
  const command = program
    .command('doctor')
    .description('Check everything that petstore needs, with at most one request.')
    .action(
      act(async (context) => (await import('./doctor.js')).doctor(context), { tolerant: true }),
    );
  examples(command, [['petstore doctor --profile production', 'why does it not work?']]);
};
