import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { type CannedResponse, startCannedServer } from '../support/canned-server.js';
import { newUser, openPipes, type User } from '../support/petstore.js';
import { expectCursor, hideCursor, keys, openShell, openTerminal } from '../support/terminal.js';

type Env = Readonly<Record<string, string>>;

const list = ['pets', 'list', '--limit', '1'];
const add = ['pets', 'add', '--name', 'Rex', '--category-id', '1'];
const unknown = /whether the pet was added is not known/;
const howToCheck = /petstore pets list --all shows whether it is there/;
/** Much less than what would have been waited for, and enough for a machine that is busy. */
const soon = 5_000;

const signals = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

test.each(signals)(
  '%s ends a wait for the quota at once: exit %i, nothing was sent',
  async (signal, code) => {
    const { user, env, requests } = await refusedUser();
    const before = ledgerOf(user);
    const run = openRun(user, list, env);
    await run.see('waiting');
    const sentAt = performance.now();
    run.kill(signal);
    expect(await run.ended).toBe(code);
    expect(performance.now() - sentAt).toBeLessThan(soon);
    expect(run.stderr()).toContain(`error: ended by ${signal}; nothing was sent`);
    expect(run.stdout()).toBe('');
    expect(requests).toHaveLength(1);
    expect(ledgerOf(user)).toEqual(before);
  },
);

test.each(signals)(
  '%s ends a countdown on a terminal at once: exit %i, the cursor is back',
  async (signal, code) => {
    const { user, env, requests } = await refusedUser();
    const before = ledgerOf(user);
    const terminal = openTerminal(user.home, add, { env });
    await terminal.see('for the quota of');
    const sentAt = performance.now();
    if (signal === 'SIGINT') terminal.type(keys.interrupt);
    else terminal.kill(signal);
    expect(await terminal.exitCode).toBe(code);
    expect(performance.now() - sentAt).toBeLessThan(soon);
    expect(terminal.output()).toContain(`ended by ${signal}; nothing was sent`);
    expect(terminal.output()).not.toMatch(unknown);
    expectCursorAgain(terminal.output());
    expect(requests).toHaveLength(1);
    expect(ledgerOf(user)).toEqual(before);
  },
);

test('after a wait that was ended the service is still let alone', async () => {
  const { user, env, requests } = await refusedUser();
  const run = openRun(user, list, env);
  await run.see('waiting');
  run.kill('SIGINT');
  await run.ended;
  const again = await user.run([...list, '--max-wait', '0'], { env });
  expect(again.exitCode).toBe(6);
  expect(again.stderr).toContain('nothing was sent');
  expect(requests).toHaveLength(1);
});

test('a terminal shows how long the wait still is, second by second', async () => {
  const { user, env } = await refusedUser();
  const terminal = openTerminal(user.home, list, { env });
  await vi.waitFor(() => expect(secondsShown(terminal.output()).size).toBeGreaterThan(1), {
    timeout: 10_000,
  });
  const [first = 0, second = 0] = secondsShown(terminal.output());
  expect(first).toBeLessThanOrEqual(retryAfter);
  expect(second).toBeLessThan(first);
  expect(terminal.output()).toContain(
    `for the quota of ${new URL(env.PETSTORE_BASE_URL ?? '').host}`,
  );
  expect(terminal.output()).toContain(hideCursor);
  terminal.type(keys.interrupt);
  await terminal.exitCode;
});

test.each([
  ['CI', { CI: 'true' }, []],
  ['a terminal that cannot redraw', { TERM: 'dumb' }, []],
  ['a trace', {}, ['-v']],
])('with %s a terminal gets one line, and no cursor is hidden', async (_, more, flags) => {
  const { user, env } = await refusedUser();
  const terminal = openTerminal(user.home, [...list, ...flags], { env: { ...env, ...more } });
  await terminal.see(/waiting \d+s for the quota of .*\r\n/);
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.output().match(/waiting/g)).toHaveLength(1);
  expect(terminal.output()).not.toContain(hideCursor);
});

test.each([
  ['in a pipe a wait is one line', [], 1],
  ['with --quiet a wait is not told', ['--quiet'], 0],
])('%s', async (_, flags, lines) => {
  const { user, env, requests } = await refusedUser({ 'retry-after': '1' });
  const { stderr, exitCode } = await user.run([...list, ...flags], { env });
  const { host } = new URL(env.PETSTORE_BASE_URL ?? '');
  const waits = stderr.split('\n').filter((line) => line.includes('wait'));
  expect(
    waits.filter((line) => /^waiting [12]s for the quota of /.test(line) && line.endsWith(host)),
  ).toHaveLength(lines);
  expect(waits).toHaveLength(lines);
  expect(exitCode).toBe(0);
  expect(requests).toHaveLength(2);
});

test.each(signals)(
  '%s after a POST was sent: exit %i, and how to find out',
  async (signal, code) => {
    const { env, firstRequest: reached } = await startCannedServer({ hang: true });
    const run = openRun(newUser(), add, env);
    await reached;
    run.kill(signal);
    expect(await run.ended).toBe(code);
    expect(run.stderr()).toContain(`error: ended by ${signal}; `);
    expect(run.stderr()).toMatch(unknown);
    expect(run.stderr()).toMatch(howToCheck);
    expect(run.stderr()).not.toContain('nothing was');
  },
);

test('Ctrl-C on a terminal after a POST was sent tells how to find out', async () => {
  const { env, firstRequest: reached } = await startCannedServer({ hang: true });
  const terminal = openTerminal(newUser().home, add, { env });
  await reached;
  await terminal.see('Waiting for 127.0.0.1');
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.output()).toMatch(unknown);
  expect(terminal.output()).toMatch(howToCheck);
  expectCursorAgain(terminal.output());
});

test('in a machine format a signal is one JSON object, the last line of stderr', async () => {
  const { env, firstRequest: reached } = await startCannedServer({ hang: true });
  const run = openRun(newUser(), [...add, '--json', '--quiet'], env);
  await reached;
  run.kill('SIGTERM');
  expect(await run.ended).toBe(143);
  expect(run.stdout()).toBe('');
  expect(JSON.parse(run.stderr()).error).toMatchObject({ code: 'cancelled', exitCode: 143 });
});

test.each(signals)(
  '%s while the connection is being made: exit %i, nothing was sent',
  async (signal, code) => {
    const { env, connected } = await startMute();
    const run = openRun(newUser(), add, env);
    await connected;
    const sentAt = performance.now();
    run.kill(signal);
    expect(await run.ended).toBe(code);
    // A connection that is not given up would be waited for.
    expect(performance.now() - sentAt).toBeLessThan(3_000);
    expect(run.stderr()).toContain(`error: ended by ${signal}; nothing was sent\n`);
  },
);

test.each([
  ['takes the connection and says nothing', ''],
  ['makes the tunnel, at whose end nobody speaks', 'HTTP/1.1 200 OK\r\n\r\n'],
])('a proxy that %s holds nobody back', async (_, says) => {
  const { port, connected } = await startMute(says);
  const run = openRun(newUser(), add, {
    HTTPS_PROXY: `http://127.0.0.1:${port}`,
    PETSTORE_BASE_URL: 'https://store.example/v1',
    PETSTORE_API_KEY: 'pets_canary_0123456789',
  });
  await connected;
  const sentAt = performance.now();
  run.kill('SIGINT');
  expect(await run.ended).toBe(130);
  expect(performance.now() - sentAt).toBeLessThan(3_000);
  expect(run.stderr()).toContain('error: ended by SIGINT; nothing was sent\n');
});

test('a deadline that passes while the connection is being made is the end', async () => {
  const { env } = await startMute();
  const begun = performance.now();
  const { stderr, exitCode } = await newUser().run([...list, '--timeout', '0.5'], { env });
  expect(exitCode).toBe(8);
  expect(stderr).toContain('did not answer within 0.5 s');
  expect(performance.now() - begun).toBeLessThan(4_000);
});

test('Ctrl-C on a terminal while the connection is being made says that nothing was sent', async () => {
  const { env, connected } = await startMute();
  const terminal = openTerminal(newUser().home, list, { env });
  await connected;
  await terminal.see('Waiting for 127.0.0.1');
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.output()).toContain('ended by SIGINT; nothing was sent');
  expectCursorAgain(terminal.output());
});

test('a second Ctrl-C leaves at once, though the first is not dealt with yet', async () => {
  const user = newUser();
  const { env, firstRequest: reached, requests } = await startCannedServer({ hang: true });
  const terminal = openTerminal(user.home, list, { env });
  await reached;
  await terminal.see('Waiting for 127.0.0.1');
  // A lock that a living process holds is waited for, for two seconds.
  const lock = join(ledgerDirectory(user), `${Object.keys(ledgerOf(user))[0]}.lock`);
  writeFileSync(lock, `${process.pid} ${hostname()}`);
  terminal.type(keys.interrupt);
  await systemClock.sleep(300);
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.output()).not.toContain('ended by');
  expectCursorAgain(terminal.output());
  expect(requests).toHaveLength(1);
});

test('a second Ctrl-C ends a service that still waits for a request to be whole', async () => {
  const run = openRun(newUser(), ['serve', '--port', '0', '--database', ':memory:', '--json'], {});
  await vi.waitFor(() => expect(run.stdout()).toContain('}\n'), { timeout: 10_000 });
  const { baseUrl, apiKey } = JSON.parse(run.stdout());
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const head = ['POST /v1/pets HTTP/1.1', 'Host: 127.0.0.1', `Authorization: Bearer ${apiKey}`];
  const type = ['Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue'];
  socket.write(`${[...head, ...type].join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  run.kill('SIGINT');
  await systemClock.sleep(300);
  expect(run.isOver()).toBe(false);
  const sentAt = performance.now();
  run.kill('SIGINT');
  expect(await run.ended).toBe(130);
  expect(performance.now() - sentAt).toBeLessThan(3_000);
});

test('Ctrl-C at a question gives the terminal back as it was', async () => {
  // The shell stays: of a terminal whose last process has ended, the last lines may be lost.
  const script = 'petstore pets add; echo "exit $?"; stty -a; echo shown; read _';
  const terminal = openShell(newUser().home, script);
  await terminal.see('Name:');
  terminal.type(keys.interrupt);
  await terminal.see('exit 130');
  await terminal.see('shown');
  const state = terminal.output().slice(terminal.output().indexOf('exit 130'));
  expect(state).toMatch(/[^-]icanon/);
  expect(state).toMatch(/[^-]isig/);
  expect(state).toMatch(/[^-]echo\b/);
  expect(state).not.toContain(hideCursor);
});

const retryAfter = 50;

/** A user whom the service has refused a moment ago, for long unless told otherwise. */
async function refusedUser(
  headers: CannedResponse['headers'] = { 'retry-after': `${retryAfter}` },
) {
  const user = newUser();
  const service = await startCannedServer({ status: 429, headers }, { body: '[]' });
  const { exitCode } = await user.run([...list, '--max-wait', '0'], { env: service.env });
  expect(exitCode).toBe(6);
  return { user, ...service };
}

/** Takes connections and says nothing more: encryption is never agreed on, so no request can leave. */
async function startMute(says = '') {
  let tell = () => {};
  const connected = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(says, tell));
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env: Env = {
    PETSTORE_BASE_URL: `https://127.0.0.1:${port}/v1`,
    PETSTORE_API_KEY: 'pets_canary_0123456789',
  };
  return { env, port, connected };
}

/** A run in pipes that is seen and ended by signals. */
function openRun(user: User, args: readonly string[], env: Env) {
  const { child, stdout, stderr, ended } = openPipes(user, args, env);
  return {
    stdout,
    stderr,
    see: (text: string) => vi.waitFor(() => expect(stderr()).toContain(text), { timeout: 10_000 }),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    ended: ended.then(({ exitCode }) => exitCode),
  };
}

function ledgerDirectory({ home }: User): string {
  return join(home, '.local/state/petstore/quota');
}

/** Everything in the ledger's directory: what it holds, and any lock that was left there. */
function ledgerOf(user: User): Readonly<Record<string, string>> {
  const directory = ledgerDirectory(user);
  const names = readdirSync(directory);
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(join(directory, name), 'utf8')]),
  );
}

function secondsShown(output: string): ReadonlySet<number> {
  const found = output.matchAll(/waiting (\d+)s for the quota/g);
  return new Set([...found].map(([, seconds]) => Number(seconds)));
}

function expectCursorAgain(output: string): void {
  expect(output).toContain(hideCursor);
  expectCursor(output);
}
