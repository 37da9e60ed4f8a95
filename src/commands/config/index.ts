import { anyText } from '../../ports/flag.js';
import type { Noun } from '../../ports/frame.js';
import { settingNames } from '../../ports/settings.js';

export const config: Noun = {
  name: 'config',
  purpose: 'Keep settings.',
  declare: (noun, { act, examples }) => {
    examples(noun, [['petstore config list --sources', 'what holds, and who chose it']]);

    const list = noun
      .command('list')
      .description('List the settings in force.')
      .option('--sources', 'show where each value comes from')
      .action(act(async () => (await import('./list.js')).list, tolerant));
    examples(list, [['petstore config list --sources', 'why is it so?']]);

    const get = noun
      .command('get')
      .description('Show one setting.')
      .argument('<name>', settingNames.join(', '), anyText('setting'))
      .action(act(async () => (await import('./get.js')).get, tolerant));
    examples(get, [['petstore config get output', 'which format results have']]);

    const set = noun
      .command('set')
      .description('Keep a setting.')
      .argument('<name>', settingNames.join(', '), anyText('setting'))
      .argument('<value>', 'its value')
      .action(act(async () => (await import('./set.js')).set, tolerant));
    examples(set, [['petstore config set timeout 10', 'give up on requests after ten seconds']]);

    const unset = noun
      .command('unset')
      .description('Forget a kept setting.')
      .argument('<name>', settingNames.join(', '), anyText('setting'))
      .action(act(async () => (await import('./set.js')).unset, tolerant));
    examples(unset, [['petstore config unset timeout', 'back to the default']]);

    const path = noun
      .command('path')
      .description('Print where the settings are kept.')
      .action(act(async () => (await import('./path.js')).path, tolerant));
    examples(path, [['petstore config path', 'which file it is']]);
  },
};

/** A setting that cannot be used must not keep it from being mended. */
const tolerant = { tolerant: true };
