import type { Readable, Writable } from 'node:stream';
import { Failure } from '../ports/failure.js';
import type { Input, Output } from '../ports/terminal.js';

/** A stream to a terminal, as Node.js has it; off a terminal `isTTY` and `columns` are missing. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/**
 * Writes to a stream and waits until the text is taken. A reader that is gone closes the output quietly;
 * any other trouble fails (machine) where the text is `essential`, as a result is and a notice is not.
 */
export function openOutput(
  stream: OutputStream,
  {
    columns,
    essential = true,
    filter = (text) => text,
  }: {
    /** Columns by decree (`COLUMNS`), for a terminal. */
    readonly columns?: number | undefined;
    readonly essential?: boolean;
    readonly filter?: (text: string) => string;
  } = {},
): Output {
  let closed = false;
  stream.on('error', () => {
    closed = true;
  });
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.isTTY ? (columns ?? (stream.columns || 80)) : undefined;
    },
    get closed() {
      return closed;
    },
    write: (text) => {
      if (closed || text === '') return Promise.resolve();
      return new Promise((resolve, reject) => {
        stream.write(filter(text), (error) => {
          const code = (error as NodeJS.ErrnoException | null | undefined)?.code;
          if (error) closed = true;
          if (!error || !essential || code === 'EPIPE' || code === 'ECONNRESET') resolve();
          else reject(unwritable(code));
        });
      });
    },
  };
}

/** Reads a stream to its end, up to a bound. */
export function openInput(stream: Readable & { readonly isTTY?: boolean }): Input {
  return {
    isTerminal: stream.isTTY === true,
    read: async (limit) => {
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of stream) {
        chunks.push(chunk as Uint8Array);
        size += (chunk as Uint8Array).length;
        if (size > limit) throw tooLong(limit);
      }
      return Buffer.concat(chunks);
    },
  };
}

function unwritable(code = 'unknown reason'): Failure {
  return new Failure('machine', {
    code: 'unwritable_output',
    message: `the result cannot be written (${code})`,
    hint: code === 'ENOSPC' ? 'make room on the disk' : undefined,
  });
}

function tooLong(limit: number): Failure {
  return new Failure('usage', {
    code: 'input_too_long',
    message: `standard input holds more than ${limit} bytes`,
  });
}
