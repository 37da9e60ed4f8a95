import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { bareEnv, binary, node, temporaryDirectory } from './petstore.js';

/** A running `petstore serve`. */
export interface ServeProcess {
  readonly baseUrl: string;
  /** With `--metrics-port`. */
  readonly metricsUrl: string;
  readonly apiKey: string;
  readonly database: string;
  readonly pid: number;
  /** Environment for clients. */
  readonly env: Readonly<Record<string, string>>;
  /** Returns the log so far. */
  log(): string;
  /** Sends the signal and resolves to exit code and log. */
  stop(signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGKILL'): Promise<{ exitCode: number | undefined; log: string }>;
}

/** Starts `petstore serve` on a free port and kills it after the test. */
export function startServeProcess(...args: readonly string[]): Promise<ServeProcess> {
  return startServeCommand([node, binary], ...args);
}

/** Like `startServeProcess`, for another installation of petstore. */
export async function startServeCommand(
  [file = '', ...words]: readonly string[],
  ...args: readonly string[]
): Promise<ServeProcess> {
  const child = execa(
    file,
    [
      ...words,
      'serve',
      '--port',
      '0',
      '--json',
      ...(args.includes('--database') ? [] : ['--database', ':memory:']),
      ...args,
    ],
    {
      env: bareEnv(temporaryDirectory()),
      extendEnv: false,
      reject: false,
      // Lets the process shut down at its own pace.
      forceKillAfterDelay: false,
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let logged = '';
  child.stderr.on('data', (chunk) => {
    logged += chunk;
  });
  const announced = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('}\n')) resolve(text);
    });
    child.then(({ stderr }) => reject(new Error(`serve ended: ${stderr}`)));
  });
  const {
    baseUrl,
    apiKey = '',
    metricsUrl = '',
    database,
  } = JSON.parse(announced) as Record<string, string> & {
    readonly baseUrl: string;
    readonly database: string;
  };
  return {
    baseUrl,
    apiKey,
    metricsUrl,
    database,
    pid: child.pid ?? 0,
    log: () => logged,
    env: { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: apiKey },
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const { exitCode, stderr } = await child;
      return { exitCode, log: stderr };
    },
  };
}
