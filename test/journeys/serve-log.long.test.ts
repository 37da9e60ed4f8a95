import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, createReadStream, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { bareEnv, binary, node, temporaryDirectory } from '../support/petstore.js';

const lanes = 4;

/** The log lines of so many requests fill the pipe and the buffer of the server. */
const stalledCount = 6_000;

test.skipIf(process.platform !== 'linux').each([
  ['a pipe', openPipe],
  ['a socket', openSocketStderr],
] as const)(
  'a reader of %s that stops delays no request, and the lines that it loses are counted (needs /proc)',
  async (_, openStderr) => {
    const { child, stderr, send } = await startLoggedServer(openStderr());
    const log = readLog(stderr);
    const before = await sendMany(500, send);
    stderr.pause();
    const during = await sendMany(stalledCount, send);
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    expect(Number(kilobytes) / 1_024).toBeLessThan(300);
    stderr.resume();
    await expect.poll(() => log.dropped(), { timeout: 30_000 }).toBeGreaterThan(0);
    const after = await sendMany(100, send);
    const sentCount = before.length + during.length + after.length;
    await expect.poll(() => log.requests() + log.dropped(), { timeout: 30_000 }).toBe(sentCount);
    child.kill('SIGTERM');
    const [exitCode] = await once(child, 'exit');
    expect(exitCode).toBe(0);

    expect(percentile(during, 0.5)).toBeLessThan(3 * percentile(before, 0.5) + 100);
    expect(percentile(during, 0.99)).toBeLessThan(5_000);
  },
  180_000,
);

/** What the server gets as stderr, and the end that the test reads. */
interface Stderr {
  readonly stdio: number | 'pipe';
  readonly reader?: Readable;
}

function openPipe(): Stderr {
  const path = join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  // Opening one end alone would wait for the other.
  const both = openSync(path, constants.O_RDWR);
  const stdio = openSync(path, constants.O_WRONLY);
  const reader = createReadStream(path);
  onTestFinished(() => {
    reader.destroy();
    closeSync(stdio);
    closeSync(both);
  });
  return { stdio, reader };
}

/** Node.js connects processes by sockets, which `pipe` means here. */
function openSocketStderr(): Stderr {
  return { stdio: 'pipe' };
}

async function startLoggedServer({ stdio, reader }: Stderr) {
  const limits = ['--per-minute', '1000000000', '--per-day', '1000000000'];
  const flags = ['--port', '0', '--json', '--database', ':memory:', '--log', 'json', ...limits];
  const child = spawn(node, [binary, 'serve', ...flags], {
    env: bareEnv(temporaryDirectory()),
    stdio: ['ignore', 'pipe', stdio],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [announced] = await once(child.stdout as Readable, 'data');
  const { baseUrl, apiKey } = JSON.parse(String(announced));
  // A long id fills the pipe with fewer requests.
  const headers = { authorization: `Bearer ${apiKey}`, 'x-request-id': 'x'.repeat(128) };
  const send = async () => {
    const response = await fetch(`${baseUrl}/pets?limit=1`, { headers });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  };
  return { child, stderr: reader ?? (child.stderr as Readable), send };
}

/** Sends requests in a few lanes; returns their durations in milliseconds. */
async function sendMany(count: number, send: () => Promise<void>): Promise<readonly number[]> {
  const durations: number[] = [];
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      const start = performance.now();
      await send();
      durations.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return durations;
}

/** Counts the requests and the dropped lines in a log. */
function readLog(stream: Readable) {
  let requests = 0;
  let dropped = 0;
  let rest = '';
  stream.on('data', (chunk) => {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { status, level, message } = JSON.parse(line);
      if (status === 200) requests += 1;
      else {
        expect(level).toBe('warning');
        dropped += Number(/^dropped ([0-9,]+) log lines?,/.exec(message)?.[1]?.replaceAll(',', ''));
      }
    }
  });
  return { requests: () => requests, dropped: () => dropped };
}

function percentile(values: readonly number[], share: number): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN);
}
