import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { bareEnv, binary, node, temporaryDirectory } from '../support/petstore.js';

const stallMs = 60_000;
const lanes = 4;

test.skipIf(process.platform !== 'linux')(
  'a reader that stops for a minute delays no request and loses only lines that are counted (needs /proc)',
  async () => {
    const { child, send } = await startLoggedServer();
    const log = readLog(child.stderr);
    const before = await sendFor(10_000, send);
    child.stderr.pause();
    const during = await sendFor(stallMs, send);
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    expect(Number(kilobytes) / 1_024).toBeLessThan(300);
    child.stderr.resume();
    await expect.poll(() => log.dropped(), { timeout: 30_000 }).toBeGreaterThan(0);
    const after = await sendFor(1_000, send);
    const sentCount = before.length + during.length + after.length;
    await expect.poll(() => log.requests() + log.dropped(), { timeout: 30_000 }).toBe(sentCount);
    child.kill('SIGTERM');
    const [exitCode] = await once(child, 'close');
    expect(exitCode).toBe(0);

    expect(percentile(during, 0.5)).toBeLessThan(3 * percentile(before, 0.5) + 20);
    expect(percentile(during, 0.99)).toBeLessThan(5_000);
  },
  180_000,
);

async function startLoggedServer() {
  const limits = ['--per-minute', '1000000000', '--per-day', '1000000000'];
  const flags = ['--port', '0', '--json', '--database', ':memory:', '--log', 'json', ...limits];
  const child = spawn(node, [binary, 'serve', ...flags], {
    env: bareEnv(temporaryDirectory()),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [announced] = await once(child.stdout, 'data');
  const { baseUrl, apiKey } = JSON.parse(String(announced));
  // A long id fills the pipe with fewer requests.
  const headers = { authorization: `Bearer ${apiKey}`, 'x-request-id': 'x'.repeat(128) };
  const send = async () => {
    const response = await fetch(`${baseUrl}/pets?limit=1`, { headers });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  };
  return { child, send };
}

/** Sends requests in a few lanes; returns their durations in milliseconds. */
async function sendFor(durationMs: number, send: () => Promise<void>): Promise<readonly number[]> {
  const durations: number[] = [];
  const end = performance.now() + durationMs;
  const lane = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      await send();
      durations.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return durations;
}

/** Counts the requests and the dropped lines in a log. */
function readLog(stream: NodeJS.ReadableStream) {
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
