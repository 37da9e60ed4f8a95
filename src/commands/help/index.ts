import { action } from '../../app/action.js';
import { addExamples, defineCommand, rootOf } from '../../cli/command-spec.js';
import { anyTexts } from '../../cli/flags.js';
import { declareAll } from '../../cli/program.js';

export const help = defineCommand('help', 'Show the manual page of a command, or of a topic.', (command) => {
  command.argument('[command...]', 'the command, such as pets list, or a topic', anyTexts('command')).action(
    action(
      async () => async (_, words: readonly string[]) =>
        (await import('./help.js')).help(words, declareAll(rootOf(command))),
      // The manual explains how to fix a broken configuration.
      { toleratesBrokenConfig: true },
    ),
  );
  addExamples(command, [
    ['petstore help pets list', 'everything about one command'],
    ['petstore help exit-codes', 'a topic: exit-codes, environment or formats'],
  ]);
});
