import type { AppContext } from '../../app/context.js';
import type { ServeOptions } from '../../app/server-control.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { checkLimits } from './check-limits.js';

export const columns: readonly Column[] = [
  { key: 'baseUrl' },
  { key: 'apiKey' },
  { key: 'keyPrefix' },
  { key: 'database' },
];

/** Serves until it is told to end; tells address and key as soon as requests are accepted. */
export async function serve(context: AppContext, flags: ServeOptions): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  checkLimits(flags);
  const { baseUrl, apiKey, keyPrefix, limits, database, ended } = await context.server.start(flags);
  if (context.settings.output === 'table') {
    const { perMinute, perDay } = limits;
    context.terminal.notice(
      `The key may send ${perMinute} requests a minute and ${perDay} a day (--plan).`,
    );
    context.terminal.notice('Ctrl-C ends it.');
  }
  const record = {
    baseUrl,
    ...(apiKey ? { apiKey: apiKey.reveal() } : { keyPrefix: `${keyPrefix}…` }),
    database,
  };
  return {
    kind: 'record',
    columns: columns.filter(({ key }) => key in record || context.settings.fields?.includes(key)),
    record,
    onRendered: () => ended,
  };
}
