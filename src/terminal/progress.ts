import type { Clock } from '../contract/clock.js';

/** Shows that something is waited for; `stop` takes it away again. */
export interface Progress {
  wait(text: string): { stop(): Promise<void> };
}

/** A spinner on a terminal, once the wait is long enough to be noticed; nothing elsewhere. */
export function openProgress(stream: NodeJS.WriteStream, clock: Clock): Progress {
  return {
    wait: (text) => {
      const stopped = new AbortController();
      const spinning = spin(stream, text, clock, stopped.signal);
      return {
        stop: async () => {
          stopped.abort();
          await spinning;
        },
      };
    },
  };
}

const noticeable = 400;

async function spin(
  stream: NodeJS.WriteStream,
  text: string,
  clock: Clock,
  stopped: AbortSignal,
): Promise<void> {
  try {
    await clock.sleep(noticeable, stopped);
  } catch {
    return;
  }
  const { default: ora } = await import('ora');
  if (stopped.aborted) return;
  const spinner = ora({ text, stream, discardStdin: false }).start();
  stopped.addEventListener('abort', () => spinner.stop(), { once: true });
}
