import type { Context, ServeOptions } from '../../ports/context.js';
import { invalidFlag } from '../../ports/flag.js';
import type { Shown } from '../../ports/view.js';

export type ServeFlags = ServeOptions;

/** Serves until it is told to end; tells address and key as soon as requests are accepted. */
export async function serve(context: Context, flags: ServeFlags): Promise<Shown> {
  const custom = flags.perMinute !== undefined || flags.perDay !== undefined;
  if (custom && flags.plan !== 'enterprise') {
    throw invalidFlag('--per-minute and --per-day need --plan enterprise');
  }
  const { baseUrl, apiKey, keyPrefix, database, ended } = await context.serve(flags);
  const record = {
    baseUrl,
    ...(apiKey ? { apiKey: apiKey.reveal() } : { keyPrefix: `${keyPrefix}…` }),
    database,
  };
  return {
    kind: 'record',
    columns: Object.keys(record).map((key) => ({ key })),
    record,
    afterwards: () => ended,
  };
}
