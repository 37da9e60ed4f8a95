import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { bareEnv, binary, node, temporaryDirectory } from './petstore.js';

export interface Served {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** As it was told. */
  readonly database: string;
  /** What a client needs to reach it. */
  readonly env: Readonly<Record<string, string>>;
  /** Sends the signal and resolves to exit code and log. */
  stop(
    signal?: 'SIGINT' | 'SIGTERM' | 'SIGKILL',
  ): Promise<{ exitCode: number | undefined; log: string }>;
}

/** `petstore serve` on a free port, stopped when the test ends. */
export function startServe(...args: readonly string[]): Promise<Served> {
  return startServeOf([node, binary], ...args);
}

/** The same with a command line that leads to another petstore. */
export async function startServeOf(
  [file = '', ...words]: readonly string[],
  ...args: readonly string[]
): Promise<Served> {
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
      // How long it takes to end is its own affair.
      forceKillAfterDelay: false,
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
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
    database,
  } = JSON.parse(announced) as Record<string, string> & {
    readonly baseUrl: string;
    readonly database: string;
  };
  return {
    baseUrl,
    apiKey,
    database,
    env: { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: apiKey },
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const { exitCode, stderr } = await child;
      return { exitCode, log: stderr };
    },
  };
}
