import { tolerantAction } from '../../app/action.js';
import { defineCommand, type OutputField } from '../../cli/command-spec.js';
import { anyText } from '../../cli/flags.js';
import { settingNames } from '../../config/settings.js';

export const config = defineCommand('config', 'View and change settings.', () => ({
  examples: [['petstore config list', 'Show the effective settings and their sources']],
  commands: [list, get, set, unset],
}));

const list = defineCommand('list', 'List the effective settings and their sources.', () => ({
  declare: (command) => command.action(tolerantAction(async () => (await import('./config.js')).list)),
  output: settingFields,
  examples: [['petstore config list', 'Show the effective settings and their sources']],
}));

const get = defineCommand('get', 'Print the value of a setting.', () => ({
  declare: (command) =>
    command
      .argument('<name>', settingNames.join(', '), anyText('setting'))
      .action(tolerantAction(async () => (await import('./config.js')).get)),
  output: settingFields,
  examples: [['petstore config get output', 'Print the output format']],
}));

const set = defineCommand('set', 'Change a setting.', () => ({
  declare: (command) =>
    command
      .argument('<name>', settingNames.join(', '), anyText('setting'))
      .argument('<value>', 'new value of the setting', anyText('setting-value'))
      .action(tolerantAction(async () => (await import('./config.js')).set)),
  examples: [['petstore config set timeout 10', 'Time out requests after ten seconds']],
}));

const unset = defineCommand('unset', 'Restore the default of a setting.', () => ({
  declare: (command) =>
    command
      .argument('<name>', settingNames.join(', '), anyText('setting'))
      .action(tolerantAction(async () => (await import('./config.js')).unset)),
  examples: [['petstore config unset timeout', 'Restore the default timeout']],
}));

const settingFields: readonly OutputField[] = [
  { key: 'name', type: 'string' },
  { key: 'value', type: 'string | number | boolean' },
  { key: 'source', type: 'string', canShrink: true },
];
