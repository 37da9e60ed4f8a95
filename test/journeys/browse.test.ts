import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { type CannedResponse, startCannedServer } from '../support/canned-server.js';
import { binary, newUser, node, temporaryDirectory } from '../support/petstore.js';
import { openScreenEmulator } from '../support/screen-emulator.js';
import { expectCursor, keys, openShell, openTerminal } from '../support/terminal.js';

const browse = [node, binary, 'pets', 'browse'];
const keyOf = { pageDown: '\u001b[6~', end: '\u001b[F', escape: '\u001b', add: '\u000e' };

const names = ['Ada', 'Balu', 'Cleo', 'Dora'];
function petsFrom(first: number, count: number): string {
  const pets = Array.from({ length: count }, (_, index) => {
    const id = first + index;
    return { id, name: `${names[id % 4]} ${id}`, categoryId: 7, status: 'available' };
  });
  return JSON.stringify(pets);
}

const quota = {
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '57',
  'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 40),
};
const next = { link: '</v1/pets?limit=100&cursor=x>; rel="next"' };
const pages: readonly CannedResponse[] = [
  { body: petsFrom(1, 100), headers: { ...quota, ...next } },
  { body: petsFrom(101, 30), headers: quota },
  { status: 201, body: '{"id":9223372036854775807,"name":"Rex","categoryId":7}', headers: quota },
];

test('one looks, filters, turns pages, adds and quits; nothing is read twice', async () => {
  const { env, requests } = await startCannedServer(...pages);
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env, columns: 100 });
  await screen.see('100 read, more follow');
  expect(screen.isAlternate()).toBe(true);
  expect((await screen.lines()).at(-1)).toMatch(
    /^127\.0\.0\.1:\d+ · 57 of 60 requests left · resets in \d+s · read \d+s ago$/,
  );
  screen.type('cleo 9');
  await screen.see('1: 3 of 100 match');
  await screen.see(/name: +Cleo 90/);
  screen.type('\u0015');
  await screen.see('1: 100 read');
  screen.type(`${keyOf.end}${keyOf.pageDown}`);
  await screen.see('118: 130 read, all there are');
  screen.type('\t');
  await screen.see('1: 130 read');
  screen.type('\t');
  await screen.see('0 read, all there are');
  screen.type('\u001b[Z\u001b[Z');
  await screen.see('[all]');
  screen.type(keyOf.add);
  await screen.see('Name:');
  expect(screen.isAlternate()).toBe(false);
  screen.type(`Rex${keys.enter}`);
  await screen.see('Category id:');
  screen.type(`7${keys.enter}`);
  await screen.see('Status:');
  screen.type(keys.enter);
  await screen.see('Add Rex, category 7, available');
  screen.type(`y${keys.enter}`);
  await screen.see('added 9223372036854775807 Rex');
  await screen.see('131: 131 read');
  screen.type('q');
  expect(await screen.exitCode).toBe(0);
  await screen.see('57 of 60 requests left');
  expect(screen.isAlternate()).toBe(false);
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/pets?limit=100',
    'GET /v1/pets?limit=100&cursor=x',
    'POST /v1/pets',
  ]);
});

test('a screen that becomes narrow, wide or low is drawn anew, down to its last line', async () => {
  const { env, requests } = await startCannedServer(...pages);
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env });
  await screen.see('100 read');
  for (const [columns, rows] of [
    [40, 10],
    [200, 50],
    [120, 6],
    [40, 24],
  ] as const) {
    screen.resize(columns, rows);
    const quotaShown = columns < 80 ? '57/60 left' : '57 of 60 requests left .*';
    await screen.see(
      new RegExp(
        `^Pets \\[all\\] available pending sold\n(.*\n){${rows - 2}}.*${quotaShown} · read \\d+s ago$`,
      ),
    );
    const chosen = (await screen.lines()).filter((line) => line.startsWith('❯'));
    expect(chosen).toHaveLength(1);
  }
  screen.type('q');
  expect(await screen.exitCode).toBe(0);
  expect(requests).toHaveLength(1);
});

describe('the screen is as it was', () => {
  const stops: readonly (readonly [string, number, (screen: Screen) => void])[] = [
    ['Ctrl-C', 130, (screen) => screen.type(keys.interrupt)],
    ['Esc', 0, (screen) => screen.type(keyOf.escape)],
    ['the end of input', 2, (screen) => screen.type(keys.endOfInput)],
  ];
  test.each(stops)('after %s: exit %i', async (_, code, stop) => {
    const screen = openScreenEmulator(temporaryDirectory(), ['sh', '-c', shellOf()]);
    await screen.see('72 read');
    expect(screen.isAlternate()).toBe(true);
    stop(screen);
    await screen.see(new RegExp(`before\\n(.|\\n)*code ${code} (.|\\n)* icanon(.|\\n)* echo `));
    expect(screen.isAlternate()).toBe(false);
    expectCursor(screen.output());
  });

  test('after SIGTERM: exit 143', async () => {
    const screen = openScreenEmulator(temporaryDirectory(), browse);
    await screen.see('72 read');
    screen.kill('SIGTERM');
    expect(await screen.exitCode).toBe(143);
    await screen.see('ended by SIGTERM');
    expect(screen.isAlternate()).toBe(false);
    expectCursor(screen.output());
  });

  test('after SIGQUIT, of which nothing is told: exit 131', async () => {
    const screen = openScreenEmulator(temporaryDirectory(), browse);
    await screen.see('72 read');
    screen.kill('SIGQUIT');
    expect(await screen.exitCode).toBe(131);
    await screen.lines();
    expect(screen.isAlternate()).toBe(false);
    expectCursor(screen.output());
  });

  test('and one browses on where the shell has stopped it, and had the terminal meanwhile', async () => {
    const directory = temporaryDirectory();
    const flag = join(directory, 'flag');
    const stop = `until [ -e '${flag}' ]; do sleep 0.05; done; kill -STOP $pid; stty sane < /dev/tty`;
    const other = `${stop}; printf '\\033[?1049l' > /dev/tty; kill -CONT $pid`;
    const script = `pid=$$; (${other}) & exec '${node}' '${binary}' pets browse`;
    const screen = openScreenEmulator(directory, ['sh', '-c', script]);
    await screen.see('72 read');
    writeFileSync(flag, '');
    await vi.waitFor(() => expect(screen.output()).toContain('\u001b[?1049l'), 5_000);
    await screen.see(/^Pets \[all\](.|\n)*72 read/);
    expect(screen.isAlternate()).toBe(true);
    // No Enter: each key is read as it comes.
    screen.type('\t');
    await screen.see('[available]');
    screen.type('q');
    expect(await screen.exitCode).toBe(0);
    await screen.lines();
    expect(screen.isAlternate()).toBe(false);
  });

  test('after a crash, which is told there', async () => {
    const directory = temporaryDirectory();
    const preload = join(directory, 'crash.cjs');
    const flag = join(directory, 'flag');
    writeFileSync(
      preload,
      `setInterval(() => { if (require('node:fs').existsSync(${JSON.stringify(flag)})) throw new Error('boom'); }, 50).unref()`,
    );
    const screen = openScreenEmulator(directory, ['sh', '-c', shellOf()], {
      env: { NODE_OPTIONS: `--require ${preload}` },
    });
    await screen.see('72 read');
    writeFileSync(flag, '');
    await screen.see(/Error: boom(.|\n)*code 1 (.|\n)* icanon(.|\n)* echo /);
    expect(screen.isAlternate()).toBe(false);
    expectCursor(screen.output());
  });
});

describe('while the service refuses', () => {
  const refusal: CannedResponse = { status: 429, headers: { ...quota, 'retry-after': '50' } };

  test('the wait counts down, keys go on working, and the end comes at once', async () => {
    const { env, requests } = await startCannedServer(refusal);
    const screen = openScreenEmulator(temporaryDirectory(), browse, { env });
    await screen.see(/waiting 50s for the quota of 127/);
    screen.type('?');
    await screen.see('take back one character');
    await screen.see(/waiting 4\ds for the quota of 127/);
    screen.type('x');
    await screen.see('Type to filter');
    screen.type('ada');
    await screen.see('Filter: ada');
    screen.type(`\u0015`);
    await screen.see('Type to filter');
    const asked = performance.now();
    screen.type('q');
    expect(await screen.exitCode).toBe(0);
    expect(performance.now() - asked).toBeLessThan(5_000);
    expect(requests).toHaveLength(1);
  });

  test('for longer than --max-wait it says when to refresh, and goes on', async () => {
    const { env, requests } = await startCannedServer(pages[0] as CannedResponse, refusal);
    const args = [...browse, '--max-wait', '5'];
    const screen = openScreenEmulator(temporaryDirectory(), args, { env });
    await screen.see('100 read');
    screen.type('\u0012');
    await screen.see(/again in \d+s/);
    await screen.see('1: 100 read, more follow');
    screen.type('q');
    expect(await screen.exitCode).toBe(0);
    expect(requests).toHaveLength(2);
  });
});

test('who quits before a pet was answered is told that nobody knows', async () => {
  const { env, requests } = await startCannedServer(pages[0] as CannedResponse, { hang: true });
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env });
  await screen.see('100 read');
  screen.type(keyOf.add);
  await screen.see('Name:');
  screen.type(`Rex${keys.enter}`);
  await screen.see('Category id:');
  screen.type(`7${keys.enter}`);
  await screen.see('Status:');
  screen.type(keys.enter);
  await screen.see('Add Rex');
  screen.type(`y${keys.enter}`);
  await screen.see('adding Rex…');
  await vi.waitFor(() => expect(requests).toHaveLength(2), { timeout: 10_000 });
  screen.type('q');
  expect(await screen.exitCode).toBe(130);
  await screen.see('error: quit; whether the pet was added is not known');
});

test('a pet that is not added after all leaves the list as it was', async () => {
  const { env, requests } = await startCannedServer(pages[0] as CannedResponse);
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env });
  await screen.see('100 read');
  screen.type(`${keys.down}${keyOf.add}`);
  await screen.see('Name:');
  screen.type(keys.interrupt);
  await screen.see('nothing was added');
  await screen.see('2: 100 read');
  screen.type('q');
  expect(await screen.exitCode).toBe(0);
  expect(requests).toHaveLength(1);
});

test('a key in a name is not shown, and what -v tells comes onRendered', async () => {
  const { env } = await startCannedServer({});
  const { PETSTORE_API_KEY: key = '' } = env;
  const pet = { id: 1, name: `I know ${key}`, categoryId: 7 };
  const service = await startCannedServer({ body: JSON.stringify([pet]) });
  const args = [...browse, '-v'];
  const screen = openScreenEmulator(temporaryDirectory(), args, { env: service.env, columns: 120 });
  await screen.see('1: 1 read');
  await screen.see('I know');
  screen.type('q');
  expect(await screen.exitCode).toBe(0);
  await screen.see(/> GET http.*v1.pets/);
  expect(screen.output()).not.toContain(key);
});

test('Esc is a key at once, and not the beginning of the one after it', async () => {
  const { env } = await startCannedServer(pages[0] as CannedResponse);
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env });
  await screen.see('100 read');
  screen.type('ada');
  await screen.see('Filter: ada');
  // By itself readline takes both for one key; on a busy machine they may come together all the same, and are repeated.
  await vi.waitFor(
    async () => {
      screen.type(keyOf.escape);
      await setTimeout(200);
      screen.type('x');
      await setTimeout(200);
      expect(await screen.lines()).toContain('Filter: x▏');
    },
    { timeout: 10_000 },
  );
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('a key that is rejected ends it: exit 3', async () => {
  const { env } = await startCannedServer({ status: 401 });
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env });
  expect(await screen.exitCode).toBe(3);
  await screen.see(/error: /);
  expect(screen.isAlternate()).toBe(false);
});

test.each([
  ['--no-input', ['--no-input'], {}],
  ['CI', [], { CI: 'true' }],
  ['a terminal that cannot redraw', [], { TERM: 'dumb' }],
  ['a machine format', ['--json'], {}],
])('with %s it is exit 2 and names pets list', async (_, args, env) => {
  const terminal = openTerminal(temporaryDirectory(), ['pets', 'browse', ...args], { env });
  expect(await terminal.exitCode).toBe(2);
  expect(terminal.output()).toContain('petstore pets list');
  expect(terminal.output()).not.toContain('\u001b[?1049h');
});

test('in a pipe it is exit 2 and names pets list', async () => {
  const { exitCode, stdout, stderr } = await newUser().run(['pets', 'browse']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain('petstore pets list');
});

test('with its result in a pipe it is exit 2 on a terminal too', async () => {
  const terminal = openShell(
    temporaryDirectory(),
    '{ petstore pets browse; echo code $? >&2; } | cat',
  );
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.output()).toMatch(/petstore pets list.*code 2/s);
  expect(terminal.output()).not.toContain('\u001b[?1049h');
});

type Screen = ReturnType<typeof openScreenEmulator>;

/** Browses between two lines, and tells how it ended and how the terminal is set. */
function shellOf(): string {
  return `echo before; '${node}' '${binary}' pets browse; echo code $? $(stty -a)`;
}
