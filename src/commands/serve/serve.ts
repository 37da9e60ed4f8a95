import type { RedisAddress } from '../../contract/redis-address.js';
import type { Context } from '../../ports/context.js';
import type { ServeOptions } from '../../ports/serve.js';
import type { Column, Shown } from '../../ports/view.js';
import { checkLimits } from './own-limits.js';

export interface ServeFlags extends Omit<ServeOptions, 'meters'> {
  readonly limits?: RedisAddress;
}

export const columns: readonly Column[] = [
  { key: 'baseUrl' },
  { key: 'apiKey' },
  { key: 'keyPrefix' },
  { key: 'database' },
];

/** Serves until it is told to end; tells address and key as soon as requests are accepted. */
export async function serve(context: Context, flags: ServeFlags): Promise<Shown> {
  context.checkFields(columns);
  checkLimits(flags);
  const { limits: meters, ...given } = flags;
  const options = { ...given, ...(meters && { meters }) };
  const { baseUrl, apiKey, keyPrefix, limits, database, ended } = await context.serve(options);
  if (context.settings.output === 'table') {
    const { perMinute, perDay } = limits;
    context.notice(`The key may send ${perMinute} requests a minute and ${perDay} a day (--plan).`);
    context.notice('Ctrl-C ends it.');
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
