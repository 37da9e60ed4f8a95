import type { Clock } from '../clock.js';
import { formatNumber } from '../format/duration.js';
import { formatLogLine, type LogEntry } from '../server/format-log-line.js';
import type { LogFormat } from '../server/server-options.js';
import type { AppContext } from './context.js';

export type ServerLog = Awaited<ReturnType<typeof openServerLog>>;

/** Opens the log of a server on stderr. The format `none` and `--quiet` leave only errors. */
export async function openServerLog(
  format: LogFormat,
  clock: Clock,
  { settings, runtime: { terminal, redactor } }: Pick<AppContext, 'runtime' | 'settings'>,
) {
  const isDisabled = format === 'none' || settings.quiet;
  const lineOptions = { format: format === 'json' ? format : 'text', redact: redactor.redact } as const;
  const writeLine = await terminal.openLog((count) => {
    const lines = `${formatNumber(count)} log ${count === 1 ? 'line' : 'lines'}`;
    const message = `dropped ${lines}, because nothing read them in time`;
    return formatLogLine({ time: clock.now(), level: 'warning', message }, lineOptions);
  });
  return {
    write: (entry: LogEntry): void => {
      if (isDisabled && !('message' in entry && entry.level === 'error')) return;
      writeLine(formatLogLine(entry, lineOptions));
    },
  };
}
