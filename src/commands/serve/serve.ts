import type { AppContext } from '../../app/context.js';
import type { ServeOptions } from '../../app/server-control.js';
import type { CommandResult } from '../../cli/command-result.js';

export const columns = ['baseUrl', 'apiKey', 'keyPrefix', 'database'].map((key) => ({ key }));

/** Starts the server and returns its address and API key as soon as it accepts requests. */
export async function serve(context: AppContext, flags: ServeOptions): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  const { baseUrl, apiKey, keyPrefix, limits, database, ended } = await context.server.start(flags);
  if (context.settings.output === 'table') {
    const { perMinute, perDay } = limits;
    context.terminal.notice(`The key may send ${perMinute} requests a minute and ${perDay} a day (--plan).`);
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
