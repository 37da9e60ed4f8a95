import type { Writable } from 'node:stream';

/** About five thousand lines. */
const maxPendingBytes = 1_048_576;

/**
 * Returns functions for a log on a stream. `write` drops lines once the reader of the stream lags behind by a megabyte, until
 * it has caught up; `formatDropped` returns the line that replaces them. `flush` writes the lines of this turn.
 */
export function openLogOutput(stream: Writable, formatDropped: (count: number) => string) {
  let lines = '';
  let droppedCount = 0;
  const flush = () => {
    if (lines !== '') stream.write(lines);
    lines = '';
  };
  const write = (line: string) => {
    if (droppedCount > 0 || stream.writableLength > maxPendingBytes) {
      droppedCount += 1;
      return;
    }
    // One write per turn: a write for each request adds 10 % to the CPU time of a list.
    if (lines === '') setImmediate(flush);
    lines += `${line}\n`;
  };
  const reportDropped = () => {
    if (droppedCount === 0) return;
    const line = formatDropped(droppedCount);
    droppedCount = 0;
    write(line);
  };
  // A closed pipe takes no more lines.
  stream.on('error', () => {}).on('drain', reportDropped);
  return { write, flush };
}
