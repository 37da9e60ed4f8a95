import { fstatSync, statSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { Failure } from '../failure.js';

/** A destination of text: a terminal, a pipe or a file. */
export interface Output {
  readonly isTerminal: boolean;
  /** Current width of the terminal; `undefined` for pipes and files. */
  readonly columns: number | undefined;
  /** Resolves once the content is written. Does not reject if the pipe or terminal is closed: see `isClosed`. */
  write(content: string | Uint8Array): Promise<void>;
  readonly isClosed: boolean;
}

/** A Node.js stream; `isTTY` and the width are missing unless it is a terminal. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface OutputOptions {
  /** Overrides the width of a terminal (`COLUMNS`). */
  readonly columns?: number | undefined;
  /** True if a failed write throws (kind `system`); notices are dropped instead. */
  readonly isEssential?: boolean;
  readonly filter?: (text: string) => string;
}

type Write = (bytes: Uint8Array) => Promise<void>;

/**
 * Returns an output on a file descriptor. Pipes and files are written synchronously, because loading the stream of
 * Node.js costs a short command much of its time. Terminals and non-blocking pipes get the stream.
 */
export function openFileDescriptor(
  descriptor: number,
  openStream: () => OutputStream,
  options: OutputOptions = {},
): Output {
  if (canBeTerminal(descriptor)) return openOutput(openStream(), options);
  let writeToStream: Write | undefined;
  const write: Write = async (bytes) => {
    if (writeToStream) return writeToStream(bytes);
    let rest = bytes;
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      writeToStream = createWriter(openStream());
      await writeToStream(rest);
    }
  };
  return createOutput(write, options);
}

/** Returns an output on a stream. A write resolves once the stream has flushed it. */
export function openOutput(stream: OutputStream, options: OutputOptions = {}): Output {
  return createOutput(createWriter(stream), options, stream);
}

/** Returns an output that ignores a closed pipe or terminal, and throws any other write error once. */
function createOutput(
  write: Write,
  { columns, isEssential = true, filter = (text) => text }: OutputOptions,
  stream?: OutputStream,
): Output {
  const isTerminal = stream?.isTTY === true;
  let isClosed = false;
  return {
    isTerminal,
    get columns() {
      return isTerminal ? (columns ?? (stream.columns || 80)) : undefined;
    },
    get isClosed() {
      return isClosed;
    },
    write: async (content) => {
      if (isClosed || content.length === 0) return;
      try {
        await write(typeof content === 'string' ? Buffer.from(filter(content)) : content);
      } catch (error) {
        isClosed = true;
        const { code } = error as NodeJS.ErrnoException;
        const hasReader = code !== 'EPIPE' && code !== 'ECONNRESET' && !(isTerminal && code === 'EIO');
        if (isEssential && hasReader) throw unwritableOutput(code);
      }
    },
  };
}

function createWriter(stream: OutputStream): Write {
  let firstError: Error | undefined;
  stream.on('error', (error) => {
    firstError ??= error;
  });
  return (bytes) =>
    new Promise((resolve, reject) => {
      // Writing to a stream that failed earlier reports ERR_STREAM_DESTROYED instead of the cause.
      stream.write(bytes, (error) => (error ? reject(firstError ?? error) : resolve()));
    });
}

/** Returns whether a descriptor is a character device other than /dev/null; loading `node:tty` would cost more. */
function canBeTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
  } catch {
    return false;
  }
}

function unwritableOutput(code = 'unknown error'): Failure {
  return new Failure('system', {
    code: 'cannot_write',
    message: `cannot write to standard output (${code})`,
    hint: code === 'ENOSPC' ? 'free some disk space' : undefined,
  });
}

/** Functions that color text; the identity if color is off. */
export interface Style {
  readonly heading: (text: string) => string;
  readonly dim: (text: string) => string;
  /** The selected row of a list. */
  readonly selected: (text: string) => string;
  /** A part of a row that a filter found. */
  readonly match: (text: string) => string;
  /** The status of a pet. */
  readonly status: (text: string) => string;
  readonly success: (text: string) => string;
  readonly warning: (text: string) => string;
  readonly error: (text: string) => string;
}

export interface ColorChoice {
  readonly mode: 'auto' | 'always' | 'never';
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the style of a stream. Of the 16 colors of a terminal, only green, bright red and bright magenta are readable on
 * light, dark and Solarized backgrounds: yellow and cyan are too light for white, blue, red and magenta are too dark for
 * black in some terminals, and most other bright colors are shades of gray in Solarized. chalk is loaded only if color is on.
 */
export async function createStyle(choice: ColorChoice): Promise<Style> {
  if (!wantsColor(choice)) return plain;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  const statuses = new Map([
    ['available', chalk.green],
    ['pending', chalk.magentaBright],
  ]);
  return {
    heading: chalk.bold,
    dim: chalk.dim,
    selected: chalk.inverse,
    match: chalk.underline,
    status: (text) => statuses.get(text)?.(text) ?? text,
    success: chalk.green,
    warning: chalk.magentaBright,
    error: chalk.bold.redBright,
  };
}

/**
 * Returns whether to use color. Precedence: flags and settings, `NO_COLOR` (no-color.org), `FORCE_COLOR`, the
 * terminal.
 */
export function wantsColor({ mode, isTerminal, env }: ColorChoice): boolean {
  if (mode !== 'auto') return mode === 'always';
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTerminal && env.TERM !== 'dumb';
}

const identity = (text: string) => text;
const plain: Style = {
  heading: identity,
  dim: identity,
  // Neither reverse video nor an underline is a color. Only prompts and full screens, which control the terminal anyway,
  // use them.
  selected: (text) => `\u001b[7m${text}\u001b[27m`,
  match: (text) => `\u001b[4m${text}\u001b[24m`,
  status: identity,
  success: identity,
  warning: identity,
  error: identity,
};
