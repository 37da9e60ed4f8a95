import type { Clock } from '../clock.js';
import type { SafeText } from '../format/safe.js';
import type { Bar, Terminal } from './terminal-types.js';

/**
 * A spinner, once the wait is long enough to be noticed, its text renewed every second; `stop` resolves when
 * it is gone.
 */
export function startWait(
  stream: NodeJS.WriteStream,
  text: () => SafeText,
  clock: Clock,
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const spinning = spin(stream, text, clock, stopped.signal);
  return {
    stop: async () => {
      stopped.abort();
      await spinning;
    },
  };
}

const noticeable = 400;

async function spin(
  stream: NodeJS.WriteStream,
  text: () => SafeText,
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
  // A terminal may have no width, and ora would take away lines without end.
  const keepWidth = () => {
    stream.columns ||= 80;
  };
  stream.on('resize', keepWidth);
  keepWidth();
  // Whether a terminal redraws is decided once, by who asks for a wait; ora would ask the environment again.
  const spinner = ora({ text: text(), stream, discardStdin: false, isEnabled: true }).start();
  stopped.addEventListener('abort', () => spinner.stop(), { once: true });
  while (!stopped.aborted) {
    await clock.sleep(1_000, stopped).catch(() => {});
    spinner.text = text();
  }
  stream.off('resize', keepWidth);
}

/** The terminal for who hears it or feels it: what takes long is told in a line now and then. */
export function withoutRedrawing(terminal: Terminal, clock: Clock): Terminal {
  const { stdout, stderr, ask, screen, page, style, redraws } = terminal;
  return {
    ...{ stdout, stderr, ask, screen, page, style, redraws: false },
    get stdin() {
      return terminal.stdin;
    },
    wait: (text) => {
      const stopped = new AbortController();
      if (redraws) void tellNowAndThen((line) => stderr.write(line), text, clock, stopped.signal);
      return { stop: async () => stopped.abort() };
    },
    bar: async () => noBar,
  };
}

async function tellNowAndThen(
  write: (line: string) => Promise<void>,
  text: () => SafeText,
  clock: Clock,
  stopped: AbortSignal,
): Promise<void> {
  for (let pause = 3_000; !stopped.aborted; pause = 15_000) {
    await clock.sleep(pause, stopped).catch(() => {});
    if (!stopped.aborted) await write(`${text()}\n`);
  }
}

/** A bar on a terminal, drawn by cli-progress; the text stands behind it. */
export async function startBar(stream: NodeJS.WriteStream, total: number): Promise<Bar> {
  const { SingleBar, Presets } = await import('cli-progress');
  const bar = new SingleBar(
    {
      stream,
      format: '{bar} {percentage}% · {value} of {total} · {text}',
      barsize: 20,
      hideCursor: true,
      clearOnComplete: true,
      fps: 5,
      etaBuffer: 1,
    },
    Presets.legacy,
  );
  bar.start(total, 0, { text: '' });
  return {
    isDrawn: true,
    update: (done, text) => bar.update(done, { text }),
    stop: () => bar.stop(),
  };
}

/** Where nothing can be redrawn. */
export const noBar: Bar = { isDrawn: false, update: () => {}, stop: () => {} };
