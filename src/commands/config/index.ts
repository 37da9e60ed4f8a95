import type { Word } from '../../cli/command-spec.js';
import { anyText } from '../../cli/flag-parsers.js';
import { settingNames } from '../../config/settings.js';

export const config: Word = {
  name: 'config',
  purpose: 'Keep settings.',
  declare: (noun, { examples, words }) => {
    examples(noun, [['petstore config list --sources', 'what holds, and who chose it']]);
    words(noun, [list, get, set, unset, path]);
  },
};

const list: Word = {
  name: 'list',
  purpose: 'List the settings in force.',
  declare: (command, { act, columns, examples }) => {
    command
      .option('--sources', 'show where each value comes from')
      .action(act(async () => (await import('./list.js')).list, tolerant));
    columns(command, async () => (await import('./list.js')).columns);
    examples(command, [['petstore config list --sources', 'why is it so?']]);
  },
};

const get: Word = {
  name: 'get',
  purpose: 'Show one setting.',
  declare: (command, { act, columns, examples }) => {
    command
      .argument('<name>', settingNames.join(', '), anyText('setting'))
      .action(act(async () => (await import('./get.js')).get, tolerant));
    columns(command, async () => (await import('./get.js')).columns);
    examples(command, [['petstore config get output', 'which format results have']]);
  },
};

const set: Word = {
  name: 'set',
  purpose: 'Keep a setting.',
  declare: (command, { act, examples }) => {
    command
      .argument('<name>', settingNames.join(', '), anyText('setting'))
      .argument('<value>', 'its value', anyText('setting-value'))
      .action(act(async () => (await import('./set.js')).set, tolerant));
    examples(command, [
      ['petstore config set timeout 10', 'give up on requests after ten seconds'],
    ]);
  },
};

const unset: Word = {
  name: 'unset',
  purpose: 'Forget a kept setting.',
  declare: (command, { act, examples }) => {
    command
      .argument('<name>', settingNames.join(', '), anyText('setting'))
      .action(act(async () => (await import('./set.js')).unset, tolerant));
    examples(command, [['petstore config unset timeout', 'back to the default']]);
  },
};

const path: Word = {
  name: 'path',
  purpose: 'Print where the settings are kept.',
  declare: (command, { act, columns, examples }) => {
    command.action(act(async () => (await import('./path.js')).path, tolerant));
    columns(command, async () => (await import('./path.js')).columns);
    examples(command, [['petstore config path', 'which file it is']]);
  },
};

/** A setting that cannot be used must not keep it from being mended. */
const tolerant = { tolerant: true };
