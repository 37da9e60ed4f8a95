import type { AppContext } from '../../app/context.js';
import { catchFailure } from '../../failure.js';
import { formatCount, formatNumber } from '../../format/duration.js';
import type { ServeFlags } from '../../server/server-options.js';

/** Runs a server until a signal ends it. Prints its address and API key as soon as it accepts requests. */
export async function serve(context: AppContext, flags: ServeFlags): Promise<void> {
  const server = await context.runServer(flags);
  const { baseUrl, metricsUrl, apiKey, keyPrefix, limits, database, ended } = server;
  // Programs read a JSON log.
  if (context.settings.output === 'table' && flags.log !== 'json') {
    const { perMinute, perDay } = limits;
    const limitsText = `${formatCount(perMinute, 'request')} per minute and ${formatNumber(perDay)} per day`;
    if (apiKey) context.terminal.notice('Copy this API key now; it is not shown again.');
    context.terminal.notice(
      `The API key can send ${limitsText}. To change these limits, pass --plan, --per-minute or --per-day.`,
    );
    const words = ['auth', 'login', '--profile', findFreeProfile(context), '--base-url', baseUrl];
    context.terminal.notice(['To use the server, run ', { words }]);
    context.terminal.notice(`To read the API reference, open ${new URL('/docs', baseUrl).href} in a browser.`);
    context.terminal.notice('Press Ctrl-C to shut down gracefully.');
  }
  const record = {
    baseUrl,
    ...(metricsUrl && { metricsUrl }),
    ...(apiKey ? { apiKey: apiKey.reveal() } : { keyPrefix: `${keyPrefix}…` }),
    database,
  };
  const columns = context.columns.filter(({ key }) => key in record || context.settings.fields?.includes(key));
  await context.print({ kind: 'record', columns, record });
  await ended;
}

/** Returns the name of a profile that does not exist: `local`, else with a number. */
function findFreeProfile({ config: { profiles } }: AppContext): string {
  const names = (catchFailure(() => profiles.list()) ?? []).map(({ name }) => name);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'local' : `local-${number}`;
    if (!names.includes(name)) return name;
  }
}
