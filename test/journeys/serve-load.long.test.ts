import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, createReadStream, openSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { bareEnv, binary, node, temporaryDirectory } from '../support/petstore.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';

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

const attackMs = 6_000;
const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)(
  'pipelined requests without an API key fill no memory (needs /proc and other loopback addresses)',
  async () => {
    const served = await startServeProcess('--quiet');
    const burst = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(1_000);
    for (let opened = 0; opened < 8; opened += 1) {
      const socket = open(served, '127.0.0.2');
      const send = () => {
        while (socket.write(burst));
      };
      socket.on('drain', send);
      socket.on('connect', send);
      socket.pause();
    }
    const { slowestMs, maxMegabytes } = await observe(served);
    expect(maxMegabytes).toBeLessThan(300);
    expect(slowestMs).toBeLessThan(10_000);
  },
  60_000,
);

test.skipIf(!isLinux)(
  'slow bodies without an API key keep no client out (needs other loopback addresses)',
  async () => {
    const served = await startServeProcess('--quiet');
    let opened = 0;
    const attack = () => {
      const socket = open(served, `127.0.0.${2 + (opened % 8)}`);
      opened += 1;
      const headers = 'Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000';
      socket.write(`POST /v1/pets HTTP/1.1\r\n${headers}\r\n\r\n{`);
      const timer = setInterval(() => socket.write(' '), 500);
      socket.on('close', () => clearInterval(timer));
      socket.resume();
    };
    for (let count = 0; count < 256; count += 1) attack();
    const timer = setInterval(attack, 1_000 / 30);
    onTestFinished(() => clearInterval(timer));
    const { slowestMs, failed, sent } = await observe(served);
    expect(failed / sent).toBeLessThan(0.05);
    expect(slowestMs).toBeLessThan(10_000);
  },
  60_000,
);

test.skipIf(!isLinux)(
  'chunks of one byte with an API key keep no client out (needs other loopback addresses)',
  async () => {
    const served = await startServeProcess('--quiet', '--per-minute', '1000000', '--per-day', '1000000');
    const credentials = `Host: 127.0.0.1\r\nAuthorization: Bearer ${served.apiKey}`;
    const headers = `${credentials}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked`;
    const request = `POST /v1/pets HTTP/1.1\r\n${headers}\r\n\r\n${'1\r\na\r\n'.repeat(60_000)}0\r\n\r\n`;
    for (let opened = 0; opened < 240; opened += 1) {
      const socket = open(served, `127.0.0.${2 + (opened % 8)}`);
      socket.write(request);
      socket.on('data', () => socket.write(request));
    }
    const { maxMegabytes, failed, sent } = await observe(served);
    expect(maxMegabytes).toBeLessThan(300);
    // Without turns, the first request takes minutes.
    expect(sent).toBeGreaterThan(5);
    expect(failed / sent).toBeLessThan(0.05);
  },
  60_000,
);

function open({ baseUrl }: ServeProcess, localAddress: string): Socket {
  const socket = connect({ port: Number(new URL(baseUrl).port), host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Sends requests on new connections during an attack; measures their time and the memory of the server. */
async function observe({ baseUrl, apiKey, pid }: ServeProcess) {
  const measured = { slowestMs: 0, maxMegabytes: 0, sent: 0, failed: 0 };
  for (const end = performance.now() + attackMs; performance.now() < end; await systemClock.sleep(200)) {
    const start = performance.now();
    const headers = { authorization: `Bearer ${apiKey}`, connection: 'close' };
    const path = measured.sent % 10 === 0 ? '/pets?limit=1' : '/openapi.json';
    const response = await fetch(`${baseUrl}${path}`, { headers }).catch(() => undefined);
    measured.sent += 1;
    if (response?.status !== 200) measured.failed += 1;
    await response?.arrayBuffer().catch(() => undefined);
    measured.slowestMs = Math.max(measured.slowestMs, performance.now() - start);
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    measured.maxMegabytes = Math.max(measured.maxMegabytes, Number(kilobytes) / 1024);
  }
  return measured;
}

test('requests in flight delay a shutdown for at most five seconds', async () => {
  const served = await startServeProcess('--latency', '20000');
  const headers = { authorization: `Bearer ${served.apiKey}` };
  const rejection = expect(fetch(`${served.baseUrl}/pets`, { headers })).rejects.toThrow();
  // Nothing shows when the server has the request.
  await systemClock.sleep(3_000);
  const begin = performance.now();
  const { exitCode, log } = await served.stop();
  expect(exitCode).toBe(0);
  expect(performance.now() - begin).toBeLessThan(15_000);
  expect(log).toMatch(/ GET \/v1\/pets reset \d+ ms /);
  await rejection;
});
