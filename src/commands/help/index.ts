import { tolerantAction } from '../../app/action.js';
import { defineCommand, rootOf } from '../../cli/command-spec.js';
import { anyTexts } from '../../cli/flags.js';
import { declareAll } from '../../cli/program.js';

export const help = defineCommand('help', 'Show the manual page of a command or topic.', () => ({
  declare: (command) =>
    command.argument('[command...]', 'command, such as pets list, or topic', anyTexts('command')).action(
      // The manual explains how to fix a broken configuration.
      tolerantAction(
        async () => async (context, words: readonly string[]) =>
          (await import('./help.js')).help(context, words, declareAll(rootOf(command))),
      ),
    ),
  output: [
    { key: 'path', type: 'string' },
    { key: 'summary', type: 'string' },
    { key: 'arguments', type: 'array' },
    { key: 'flags', type: 'array' },
    { key: 'writes', type: 'boolean' },
    { key: 'examples', type: 'array' },
    { key: 'output', type: 'array' },
  ],
  examples: [
    ['petstore help pets list', 'Show everything about one command'],
    ['petstore help errors', 'Explain every error code'],
    ['petstore help --json', 'Describe every command, flag and code for a program'],
  ],
}));
