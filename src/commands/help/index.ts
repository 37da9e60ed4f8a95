import type { Word } from '../../cli/command-spec.js';
import { anyTexts } from '../../cli/flag-parsers.js';

export const help: Word = {
  name: 'help',
  purpose: 'Show the manual page of a command, or of a topic.',
  declare: (command, { act, examples, manualOf, whole }) => {
    command
      .argument('[command...]', 'the command, such as pets list, or a topic', anyTexts('command'))
      .action(
        act(
          async () => async (_, words: readonly string[]) =>
            (await import('./help.js')).help(words, whole(), manualOf),
          // Who mends a configuration needs the manual.
          { tolerant: true },
        ),
      );
    examples(command, [
      ['petstore help pets list', 'everything about one command'],
      ['petstore help exit-codes', 'a topic: exit-codes, environment or formats'],
    ]);
  },
};
