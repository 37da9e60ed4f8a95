import type { AppContext } from '../../app/context.js';
import type { ServeOptions } from '../../app/server-control.js';
import type { CommandResult } from '../../cli/command-result.js';
import { formatCount, formatNumber } from '../../format/duration.js';
import { closedOutput } from './keys/new-key.js';

export const columns = ['baseUrl', 'metricsUrl', 'apiKey', 'keyPrefix', 'database'].map((key) => ({ key }));

/** Starts the server and returns its address and API key as soon as it accepts requests. */
export async function serve(context: AppContext, flags: ServeOptions): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  const server = await context.server.start(flags);
  const { baseUrl, metricsUrl, apiKey, keyPrefix, limits, database, ended } = server;
  // Programs read a JSON log.
  if (context.settings.output === 'table' && flags.log !== 'json') {
    const { perMinute, perDay } = limits;
    const limitsText = `${formatCount(perMinute, 'request')} per minute and ${formatNumber(perDay)} per day`;
    if (apiKey) context.terminal.notice('Copy this API key now; it is not shown again.');
    context.terminal.notice(
      `The API key can send ${limitsText}. To change these limits, pass --plan, --per-minute or --per-day.`,
    );
    const words = ['auth', 'login', '--profile', 'staging', '--base-url', baseUrl];
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
  return {
    kind: 'record',
    columns: columns.filter(({ key }) => key in record || context.settings.fields?.includes(key)),
    record,
    onRendered: () => {
      if (apiKey && context.runtime.terminal.stdout.isClosed) throw closedOutput();
      server.confirmKey();
      return ended;
    },
  };
}
