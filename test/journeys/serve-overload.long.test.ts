import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';

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
