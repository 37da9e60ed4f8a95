import { action } from '../../app/action.js';
import { addColumns, addExamples, defineCommand } from '../../cli/command-spec.js';
import { anyText } from '../../cli/flags.js';
import { addSubcommands } from '../../cli/program.js';
import { settingNames } from '../../config/settings.js';

export const config = defineCommand('config', 'Keep settings.', (group) => {
  addExamples(group, [['petstore config list --sources', 'what holds, and who chose it']]);
  addSubcommands(group, [list, get, set, unset, path]);
});

const list = defineCommand('list', 'List the settings in force.', (command) => {
  command
    .option('--sources', 'show where each value comes from')
    .action(action(async () => (await import('./list.js')).list, options));
  addColumns(command, async () => (await import('./list.js')).columns);
  addExamples(command, [['petstore config list --sources', 'why is it so?']]);
});

const get = defineCommand('get', 'Show one setting.', (command) => {
  command
    .argument('<name>', settingNames.join(', '), anyText('setting'))
    .action(action(async () => (await import('./get.js')).get, options));
  addColumns(command, async () => (await import('./get.js')).columns);
  addExamples(command, [['petstore config get output', 'which format results have']]);
});

const set = defineCommand('set', 'Keep a setting.', (command) => {
  command
    .argument('<name>', settingNames.join(', '), anyText('setting'))
    .argument('<value>', 'its value', anyText('setting-value'))
    .action(action(async () => (await import('./set.js')).set, options));
  addExamples(command, [['petstore config set timeout 10', 'give up on requests after ten seconds']]);
});

const unset = defineCommand('unset', 'Forget a kept setting.', (command) => {
  command
    .argument('<name>', settingNames.join(', '), anyText('setting'))
    .action(action(async () => (await import('./set.js')).unset, options));
  addExamples(command, [['petstore config unset timeout', 'back to the default']]);
});

const path = defineCommand('path', 'Print where the settings are kept.', (command) => {
  command.action(action(async () => (await import('./path.js')).path, options));
  addColumns(command, async () => (await import('./path.js')).columns);
  addExamples(command, [['petstore config path', 'which file it is']]);
});

/** These commands can fix a config file with invalid values. */
const options = { toleratesBrokenConfig: true };
