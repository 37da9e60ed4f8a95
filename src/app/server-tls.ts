import type { Clock } from '../clock.js';
import { usageError } from '../failure.js';
import type { AppContext } from './context.js';
import type { ServeOptions } from './server-control.js';
import type { ServerLog } from './server-log.js';

interface TlsDeps {
  readonly log: ServerLog;
  /** The clock of the server, whose time may be simulated. */
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

/** Opens the certificate of a server if the options name one. Throws a usage failure if it cannot be used. */
export async function openTls(
  { tlsCert, tlsKey }: Pick<ServeOptions, 'tlsCert' | 'tlsKey'>,
  { runtime, clock: systemClock }: Pick<AppContext, 'runtime' | 'clock'>,
  { log, clock, warn }: TlsDeps,
) {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined) throw missingFile('--tls-key needs --tls-cert', '--tls-cert <file> with the certificate');
  if (tlsKey === undefined) throw missingFile('--tls-cert needs --tls-key', '--tls-key <file> with the private key');
  const { openServerCertificate } = await import('./server-certificate.js');
  const certificate = openServerCertificate(
    { tlsCert, tlsKey },
    { warn, now: systemClock.now, platform: runtime.platform },
  );
  const write = (level: 'error' | 'info', message: string) => log.write({ time: clock.now(), level, message });
  return {
    options: {
      secureContext: certificate.secureContext,
      onHandshakeError: (reason: string, address: string) =>
        write('info', `TLS handshake with ${address} failed: ${reason}`),
    },
    /** Reads the files again. Logs an error and keeps the certificate if the new one cannot be used. */
    reload: () => {
      try {
        certificate.reload();
        write('info', 'reloaded the certificate');
      } catch (error) {
        write('error', `kept the old certificate: ${(error as Error).message}`);
      }
    },
  };
}

function missingFile(message: string, flag: string) {
  return usageError('invalid_flag', message, `pass ${flag}, too`);
}
