import type { AppContext } from '../../app/context.js';
import type { CommandResult, OutputRecord } from '../../cli/command-result.js';

/** Returns every effective setting and the origin of its value. */
export async function list({ columns, settings, flags }: AppContext): Promise<CommandResult> {
  // A table would print yes and no, which `config get` does not print.
  const isTable = settings.output === 'table' && flags.jq === undefined;
  const records = settings.all.map(
    ({ name, value, source }): OutputRecord => ({ name, value: isTable ? String(value) : value, source }),
  );
  return {
    kind: 'records',
    columns,
    records,
    emptyMessage: 'No settings.',
  };
}
