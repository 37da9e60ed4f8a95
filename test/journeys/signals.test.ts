import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startCannedServer, startRawServer } from '../support/http-server.js';
import { newUser, openPipes, type User } from '../support/petstore.js';
import { hideCursor, keys, openShell, openTerminal } from '../support/terminal.js';

type Env = Readonly<Record<string, string>>;

const list = ['pets', 'list', '--limit', '1'];
const add = ['pets', 'add', '--name', 'Rex', '--category-id', '1'];
const unknownOutcome = /it is unknown whether the pet was added/i;
const checkHint = /petstore pets list --all --(profile sandbox|base-url \S+) to look for the pet/;
/** Much less than the wait that a signal cancels, and enough for a busy machine. */
const maxExitMs = 20_000;

const signals = [
  ['SIGINT', 130, 'Canceled.'],
  ['SIGTERM', 143, 'Terminated by SIGTERM.'],
  ['SIGHUP', 129, 'Terminated by SIGHUP.'],
] as const;

test.each(signals)(
  '%s cancels a wait for the quota with exit code %i and changes no quota state',
  async (signal, code, message) => {
    const { user, env, requests } = await newRateLimitedUser();
    const before = quotaStatesOf(user);
    const run = openRun(user, list, env);
    await run.see('Waiting');
    const sentAt = performance.now();
    run.kill(signal);
    expect(await run.ended).toBe(code);
    expect(performance.now() - sentAt).toBeLessThan(maxExitMs);
    expect(run.stderr()).toContain(`${message}\n`);
    expect(run.stdout()).toBe('');
    expect(requests).toHaveLength(1);
    expect(quotaStatesOf(user)).toEqual(before);
    const next = await user.run([...list, '--max-wait', '0'], { env });
    expect(next.exitCode).toBe(6);
    expect(requests).toHaveLength(1);
  },
);

test('Ctrl-C cancels a countdown on a terminal', async () => {
  const { user, env, requests } = await newRateLimitedUser();
  const before = quotaStatesOf(user);
  const terminal = openTerminal(user.home, add, { env });
  await terminal.see('for the quota');
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.output()).toContain('Canceled. Nothing was sent.');
  expect(terminal.output()).not.toMatch(unknownOutcome);
  expect(requests).toHaveLength(1);
  expect(quotaStatesOf(user)).toEqual(before);
});

test.each([
  ['CI', { CI: 'true' }],
  ['a terminal that cannot redraw', { TERM: 'dumb' }],
])('%s reduces the countdown to one line', async (_, more) => {
  const { user, env } = await newRateLimitedUser();
  const terminal = openTerminal(user.home, list, { env: { ...env, ...more } });
  await terminal.see(/Waiting \d+s for the quota\.\r\n/);
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.output().match(/Waiting/g)).toHaveLength(1);
});

test.each(signals)(
  '%s after a POST was sent exits with %i and prints how to check the outcome',
  async (signal, code, message) => {
    const { env, firstRequest } = await startCannedServer({ hang: true });
    const run = openRun(newUser(), add, env);
    await firstRequest;
    run.kill(signal);
    expect(await run.ended).toBe(code);
    expect(run.stderr()).toContain(`${message} `);
    expect(run.stderr()).toMatch(unknownOutcome);
    expect(run.stderr()).toMatch(checkHint);
    expect(run.stderr()).not.toMatch(/nothing was/i);
  },
);

test.each([
  [add, /run petstore api \/pets -X POST .* 'Idempotency-Key: \S+' --base-url \S+ to add the pet if it is missing/],
  [['api', '/pets', '-f', 'name=Rex'], /run the same command with -H 'Idempotency-Key: \S+' to repeat the request/],
])('after SIGINT, %j prints how to send the request again with its key', async (args, hint) => {
  const user = newUser();
  const headers = { 'idempotency-key-lifetime': '86400' };
  const { env, requests } = await startCannedServer({ headers, body: '[]' }, { hang: true });
  // Proves that the service honors keys.
  await user.run(list, { env });
  const run = openRun(user, args, env);
  await vi.waitFor(() => expect(requests).toHaveLength(2), { timeout: maxExitMs });
  run.kill('SIGINT');
  expect(await run.ended).toBe(130);
  expect(run.stderr()).toMatch(/^Canceled\. It is unknown/);
  expect(run.stderr()).toMatch(hint);
});

test('a signal prints one JSON error with a machine format', async () => {
  const { env, firstRequest } = await startCannedServer({ hang: true });
  const run = openRun(newUser(), [...add, '--json', '--quiet'], env);
  await firstRequest;
  run.kill('SIGTERM');
  expect(await run.ended).toBe(143);
  expect(run.stdout()).toBe('');
  expect(JSON.parse(run.stderr()).error).toMatchObject({ code: 'cancelled', exitCode: 143 });
});

test('SIGINT during the connection attempt exits and reports that nothing was sent', async () => {
  // This server never completes a TLS handshake.
  const { origin, connections } = await startRawServer(() => {});
  const run = openRun(newUser(), add, {
    PETSTORE_BASE_URL: `${origin.replace('http:', 'https:')}/v1`,
    PETSTORE_API_KEY: 'pets_canary_0123456789',
  });
  await expect.poll(connections).toBe(1);
  const sentAt = performance.now();
  run.kill('SIGINT');
  expect(await run.ended).toBe(130);
  // A connection attempt that is not canceled would keep the process alive.
  expect(performance.now() - sentAt).toBeLessThan(maxExitMs);
  expect(run.stderr()).toContain('Canceled. Nothing was sent.\n');
});

test('a second Ctrl-C exits immediately while the first waits for a lock', async () => {
  const user = newUser();
  const { env, firstRequest, requests } = await startCannedServer({ hang: true });
  const terminal = openTerminal(user.home, list, { env });
  await firstRequest;
  await terminal.see('Waiting for 127.0.0.1');
  // The process waits two seconds for a lock that a live process holds.
  const lock = join(quotaDirectory(user), `${Object.keys(quotaStatesOf(user))[0]}.lock`);
  writeFileSync(lock, `${process.pid} ${hostname()}`);
  terminal.type(keys.interrupt);
  // After the first signal, petstore erases `^C`.
  await terminal.see('\r\u001b[K');
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.output()).toContain('\u001b[KCanceled.\r\n');
  expect(requests).toHaveLength(1);
});

test('Ctrl-C at a prompt restores the terminal settings', async () => {
  // The shell keeps running, since a terminal whose last process has ended may lose its last lines.
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

/** After SIGHUP, or after the end of the input, whichever a prompt handles first. */
const canceled: readonly number[] = [129, 130];

test.each([
  ['pets add', canceled, 'Name'],
  ['pets browse', canceled, 'Archie'],
  ['pets list --watch', [0], 'Watching 72 pets'],
  ['serve --port 0 --database :memory:', [0], ':memory:\r\n'],
] as const)(
  'petstore %s ends with one of the exit codes %j if its terminal is closed',
  async (command, codes, text) => {
    const terminal = openTerminal(newUser().home, command.split(' '));
    await terminal.see(text);
    terminal.close();
    expect(codes).toContain(await terminal.exitCode);
  },
);

test('a command does not crash if SIGTERM follows the end of its terminal', async () => {
  const { env } = await startCannedServer({ hang: true });
  const terminal = openTerminal(newUser().home, list, { env });
  await terminal.see('Waiting for');
  terminal.close();
  terminal.kill('SIGTERM');
  expect([129, 143]).toContain(await terminal.exitCode);
});

const retryAfter = 50;

/** Returns a user whom the service has just rate limited. */
async function newRateLimitedUser() {
  const user = newUser();
  const headers = { 'retry-after': `${retryAfter}` };
  const service = await startCannedServer({ status: 429, headers }, { body: '[]' });
  const { exitCode } = await user.run([...list, '--max-wait', '0'], { env: service.env });
  expect(exitCode).toBe(6);
  return { user, ...service };
}

/** Runs petstore with pipes; the test waits for its output and signals it. */
function openRun(user: User, args: readonly string[], env: Env) {
  const { child, stdout, stderr, ended } = openPipes(user, args, env);
  return {
    stdout,
    stderr,
    see: (text: string) => vi.waitFor(() => expect(stderr()).toContain(text), { timeout: 30_000 }),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    ended: ended.then(({ exitCode }) => exitCode),
  };
}

function quotaDirectory({ home }: User): string {
  return join(home, '.local/state/petstore/quota');
}

/** Returns all files in the directory of the quota states, including locks. */
function quotaStatesOf(user: User): Readonly<Record<string, string>> {
  const directory = quotaDirectory(user);
  const names = readdirSync(directory);
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), 'utf8')]));
}
