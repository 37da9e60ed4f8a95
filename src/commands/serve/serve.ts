import type { AppContext } from '../../app/context.js';
import type { ServeOptions } from '../../app/serve-types.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import type { RedisAddress } from '../../quota/redis-address.js';
import { checkLimits } from './check-limits.js';

export interface ServeFlags extends Omit<ServeOptions, 'meters'> {
  readonly limits?: RedisAddress;
}

const columns: readonly Column[] = [
  { key: 'baseUrl' },
  { key: 'apiKey' },
  { key: 'keyPrefix' },
  { key: 'database' },
];

/** Serves until it is told to end; tells address and key as soon as requests are accepted. */
export async function serve(context: AppContext, flags: ServeFlags): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  checkLimits(flags);
  const { limits: meters, ...given } = flags;
  const options = { ...given, ...(meters && { meters }) };
  const { baseUrl, apiKey, keyPrefix, limits, database, ended } =
    await context.server.start(options);
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
    afterwards: () => ended,
  };
}
