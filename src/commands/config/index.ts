import { tolerantAction } from '../../app/action.js';
import { addExamples, addOutput, defineCommand, type OutputField } from '../../cli/command-spec.js';
import { anyText } from '../../cli/flags.js';
import { addSubcommands } from '../../cli/program.js';
import { settingNames } from '../../config/settings.js';

export const config = defineCommand('config', 'View and change settings.', (group) => {
  addExamples(group, [['petstore config list', 'Show the effective settings and their sources']]);
  addSubcommands(group, [list, get, set, unset]);
});

const list = defineCommand('list', 'List the effective settings and their sources.', (command) => {
  command.action(tolerantAction(async () => (await import('./config.js')).list));
  addOutput(command, settingFields);
  addExamples(command, [['petstore config list', 'Show the effective settings and their sources']]);
});

const get = defineCommand('get', 'Print the value of a setting.', (command) => {
  command
    .argument('<name>', settingNames.join(', '), anyText('setting'))
    .action(tolerantAction(async () => (await import('./config.js')).get));
  addOutput(command, settingFields);
  addExamples(command, [['petstore config get output', 'Print the output format']]);
});

const set = defineCommand('set', 'Change a setting.', (command) => {
  command
    .argument('<name>', settingNames.join(', '), anyText('setting'))
    .argument('<value>', 'new value of the setting', anyText('setting-value'))
    .action(tolerantAction(async () => (await import('./config.js')).set));
  addExamples(command, [['petstore config set timeout 10', 'Time out requests after ten seconds']]);
});

const unset = defineCommand('unset', 'Restore the default of a setting.', (command) => {
  command
    .argument('<name>', settingNames.join(', '), anyText('setting'))
    .action(tolerantAction(async () => (await import('./config.js')).unset));
  addExamples(command, [['petstore config unset timeout', 'Restore the default timeout']]);
});

const settingFields: readonly OutputField[] = [
  { key: 'name', type: 'string' },
  { key: 'value', type: 'string | number | boolean' },
  { key: 'source', type: 'string', canShrink: true },
];
