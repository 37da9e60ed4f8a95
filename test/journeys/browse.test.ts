import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { type CannedResponse, startCannedServer } from '../support/http-server.js';
import { binary, newUser, node, preloadEnv, temporaryDirectory } from '../support/petstore.js';
import { expectCursor, keys, openScreenEmulator, openShell } from '../support/terminal.js';

const browse = [node, binary, 'pets', 'browse'];
const keyOf = {
  pageDown: '\u001b[6~',
  end: '\u001b[F',
  escape: '\u001b',
  add: '\u000e',
  copy: '\u0019',
  sort: '\u0013',
};

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
  'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 3_000),
};
/** Returns the quota of a window that ends after the test. */
function usedUpQuota() {
  return { ...quota, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 55) };
}
/** Returns one page of 100 pets for each number of remaining requests, in a window that resets in 50 minutes. */
function pagesWithQuota(limit: number, remaining: readonly number[], { hasEnd = false } = {}): CannedResponse[] {
  const reset = String(Math.floor(Date.now() / 1000) + 3_000);
  return remaining.map((count, index) => ({
    body: petsFrom(1 + index * 100, 100),
    headers: {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(count),
      'x-ratelimit-reset': reset,
      ...(!(hasEnd && index === remaining.length - 1) && {
        link: `</v1/pets?limit=100&cursor=${index}>; rel="next"`,
      }),
    },
  }));
}
const next = { link: '</v1/pets?limit=100&cursor=x>; rel="next"' };
const pages: readonly CannedResponse[] = [
  { body: petsFrom(1, 100), headers: { ...quota, ...next } },
  { body: petsFrom(101, 30), headers: quota },
  { status: 201, body: '{"id":9223372036854775807,"name":"Rex","categoryId":7}', headers: quota },
];

test('pets browse filters, pages, adds a pet and fetches each page once', async () => {
  const { env, requests } = await startCannedServer(...pages);
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env, columns: 100 });
  await screen.see('1 of 100 loaded, more to load');
  expect(screen.isAlternate()).toBe(true);
  await screen.see(/\n127\.0\.0\.1:\d+ · 57 of 60 requests left · resets in \d+m( \d+s)?$/);
  screen.type('cleo 9');
  await screen.see('1 of 3 matches in 100 loaded, more to load');
  await screen.see(/name +Cleo 90/);
  screen.type('\u0015');
  await screen.see('90 of 100 loaded');
  screen.type(keyOf.end);
  await screen.see('130 of 130 pets');
  await addRex(screen);
  await screen.see('✓ Added Rex (id 9223372036854775807)');
  await screen.see('131 of 131 pets');
  screen.type(keyOf.escape);
  expect(await screen.exitCode).toBe(0);
  await screen.see('57 of 60 requests left');
  expect(screen.isAlternate()).toBe(false);
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/pets?limit=100',
    'GET /v1/pets?limit=100&cursor=x',
    'POST /v1/pets',
  ]);
});

test('the quota follows other processes', async () => {
  const user = newUser();
  const screen = openScreenEmulator(user.home, browse);
  await screen.see('59 of 60');
  await user.run(['pets', 'list', '-q']);
  await screen.see('58 of 60');
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
  expect((await screen.lines()).join('\n')).toContain('sandbox · 58 of 60 requests left');
});

test('the line after --watch shows the quota that other processes have used', async () => {
  const user = newUser();
  const screen = openScreenEmulator(user.home, [node, binary, 'pets', 'list', '--watch', '50']);
  await screen.see('Press Ctrl-C to stop.');
  await user.run(['pets', 'list', '-q']);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(0);
  expect((await screen.lines()).join('\n')).toContain('sandbox · 58 of 60 requests left');
});

test('Tab shows the pets of another status, and Esc clears a filter before it quits', async () => {
  const { env, requests } = await startCannedServer(
    { body: petsFrom(1, 3), headers: quota },
    { body: '[{"id":1999,"name":"quinn","categoryId":7,"status":"available","tag":"far away"}]', headers: quota },
  );
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env, columns: 120 });
  await screen.see('1 of 3 pets');
  screen.type('\t');
  await screen.see('[available]');
  await screen.see('1 of 1 pet');
  screen.type('quinn');
  await screen.see('1 of 1 match in 1 pet');
  await screen.see(/❯ 1999 +quinn/);
  await screen.see(/tag +far away/);
  screen.type(keyOf.escape);
  await screen.see('Type to filter');
  screen.type(keyOf.escape);
  expect(await screen.exitCode).toBe(0);
  expect(requests.map(({ url }) => url)).toEqual(['/v1/pets?limit=100', '/v1/pets?limit=100&status=available']);
});

test('End uses half of the remaining quota, and then half of the rest', async () => {
  const responses = pagesWithQuota(5, [4, 3, 2, 1]);
  const { env, requests } = await startCannedServer(...responses);
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env, columns: 100 });
  await screen.see('1 of 100 loaded');
  screen.type(keyOf.end);
  await screen.see(/^! half of the remaining quota is used; retry in .* \(press End to retry\)$/m);
  expect(requests).toHaveLength(3);
  screen.type(keyOf.end);
  await screen.see('400 of 400 loaded');
  await screen.see('half of the remaining quota is used');
  expect(requests).toHaveLength(4);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('a wait that leaves half of the quota says so, and Esc ends it', async () => {
  const responses = pagesWithQuota(9, [8, 7, 6, 5, 4, 3], { hasEnd: true });
  const { env, requests } = await startCannedServer(...responses);
  const screen = openScreenEmulator(temporaryDirectory(), [...browse, '--max-wait', '4000'], { env, columns: 100 });
  await screen.see('1 of 100 loaded');
  screen.type(keyOf.end);
  await screen.see(/Waiting .* to leave half of the quota; Esc stops/);
  expect(requests).toHaveLength(5);
  screen.type(keyOf.escape);
  await screen.see('Stopped at 500 pets. Press End to load the rest.');
  screen.type(keyOf.end);
  await screen.see('600 of 600 pets');
  expect(requests).toHaveLength(6);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('Ctrl-N leaves the screen for the prompts, and a canceled add returns to it', async () => {
  const { env } = await startCannedServer({ body: '[]' });
  const script = `echo before; '${node}' '${binary}' pets browse; echo code $?`;
  const screen = openScreenEmulator(temporaryDirectory(), ['sh', '-c', script], { env });
  await screen.see('The service has no pets. Press Ctrl-N to add one');
  screen.type(keyOf.add);
  await screen.see(/^before\n\? Name:/);
  expect(screen.isAlternate()).toBe(false);
  screen.type(`Rex${keys.enter}`);
  await screen.see('Category id:');
  screen.type(keys.interrupt);
  await screen.see('Canceled. Nothing was added.');
  expect(screen.isAlternate()).toBe(true);
  screen.type(keys.interrupt);
  await screen.see(/^before\n(.*\n)*code 130\n\s*$/);
});

test.each([40, 100])('the selected row is highlighted across a list of %i columns', async (columns) => {
  const { env } = await startCannedServer({ body: petsFrom(1, 3), headers: quota });
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env, columns });
  await screen.see('1 of 3');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
  const row = /\u001b\[7m(❯[^\u001b]*)\u001b\[27m/.exec(screen.output())?.[1] ?? '';
  const line = (await screen.lines()).find((text) => text.startsWith('❯')) ?? '';
  expect(row.length).toBe(line.includes('│') ? line.indexOf('│') - 1 : columns - 1);
  expect(row).toMatch(/❯ +1 {2}Balu 1 .* available/);
  // No column is far from the next one.
  expect(row).not.toMatch(/ {45}/);
});

test('the screen fits the terminal after a resize', async () => {
  const { env, requests } = await startCannedServer(...pages);
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env });
  await screen.see('1 of 100');
  for (const [columns, rows] of [
    [40, 10],
    [200, 50],
    [60, 5],
  ] as const) {
    screen.resize(columns, rows);
    const quotaShown = columns < 80 ? '57( of 60 requests)? left( .*)?' : '57 of 60 requests left( .*)?';
    await screen.see(new RegExp(`^Pets \\[all\\] available pending sold\n(.*\n){${rows - 2}}.*${quotaShown}$`));
    const selected = (await screen.lines()).filter((line) => line.startsWith('❯'));
    expect(selected).toHaveLength(1);
  }
  screen.type(keyOf.escape);
  expect(await screen.exitCode).toBe(0);
  expect(requests).toHaveLength(1);
});

describe('the terminal is restored', () => {
  test.each([
    ['Ctrl-C', 130, keys.interrupt],
    ['Esc', 0, keyOf.escape],
  ])('after %s, with exit code %i', async (_, code, key) => {
    const screen = openScreenEmulator(temporaryDirectory(), ['sh', '-c', browseScript()]);
    await screen.see('1 of 72');
    expect(screen.isAlternate()).toBe(true);
    screen.type(key);
    await screen.see(new RegExp(`before\\n(.|\\n)*code ${code} (.|\\n)* icanon(.|\\n)* echo `));
    expect(screen.isAlternate()).toBe(false);
    expectCursor(screen.output());
  });

  test('after SIGTERM', async () => {
    const screen = openScreenEmulator(temporaryDirectory(), browse);
    await screen.see('1 of 72');
    screen.kill('SIGTERM');
    expect(await screen.exitCode).toBe(143);
    await screen.lines();
    expect(screen.isAlternate()).toBe(false);
    expectCursor(screen.output());
  });

  test('after a crash, and shows the error', async () => {
    const directory = temporaryDirectory();
    const preload = join(directory, 'crash.cjs');
    const flag = join(directory, 'flag');
    writeFileSync(
      preload,
      `setInterval(() => { if (require('node:fs').existsSync(${JSON.stringify(flag)})) throw new Error('boom'); }, 50).unref()`,
    );
    const screen = openScreenEmulator(directory, ['sh', '-c', browseScript()], {
      env: preloadEnv(preload),
    });
    await screen.see('1 of 72');
    writeFileSync(flag, '');
    await screen.see(/error: boom(.|\n)*code 1 (.|\n)* icanon(.|\n)* echo /i);
    expect(screen.isAlternate()).toBe(false);
    expectCursor(screen.output());
  });
});

describe('a rate-limited page', () => {
  const rateLimited: CannedResponse = { status: 429, headers: { ...quota, 'retry-after': '50' } };

  test('shows a countdown while keys work, and quits immediately', async () => {
    const { env, requests } = await startCannedServer(rateLimited);
    const screen = openScreenEmulator(temporaryDirectory(), browse, { env });
    await screen.see(/Waiting 50s for the quota/);
    screen.type('?');
    await screen.see('delete one character');
    await screen.see(/Waiting 4\ds for the quota/);
    screen.type('x');
    await screen.see('Type to filter');
    screen.type('ada');
    await screen.see('Filter: ada');
    screen.type(`\u0015`);
    await screen.see('Type to filter');
    screen.type(keyOf.escape);
    await screen.see('Stopped at 0 pets. Press Ctrl-R to load the pets.');
    const typedAt = performance.now();
    screen.type(keyOf.escape);
    expect(await screen.exitCode).toBe(0);
    expect(performance.now() - typedAt).toBeLessThan(20_000);
    expect(requests).toHaveLength(1);
  });

  test('beyond --max-wait shows when to refresh', async () => {
    const { env, requests } = await startCannedServer(pages[0] as CannedResponse, rateLimited);
    const args = [...browse, '--max-wait', '5'];
    const screen = openScreenEmulator(temporaryDirectory(), args, { env });
    await screen.see('1 of 100');
    screen.type('\u0012');
    await screen.see(/^✗ .*; retry in 50s/m);
    await screen.see(/^✗ .*; retry in 4\ds/m);
    screen.type(keyOf.escape);
    expect(await screen.exitCode).toBe(0);
    expect(requests).toHaveLength(2);
  });
});

test('a wait shows the quota that another process used up', async () => {
  const used = usedUpQuota();
  const { env } = await startCannedServer(
    { body: petsFrom(1, 3), headers: quota },
    { body: petsFrom(1, 3), headers: used },
  );
  const user = newUser();
  const screen = openScreenEmulator(user.home, browse, { env, columns: 100 });
  await screen.see('57 of 60 requests left');
  expect((await user.run(['pets', 'list'], { env })).exitCode).toBe(0);
  screen.type('\u0012');
  await screen.see(/Waiting \d+s for the quota(.|\n)* 0 of 60 requests left/);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
  await screen.see(/^127\.0\.0\.1:\d+ · 0 of 60 requests left/m);
});

test('Ctrl-C during a create reports an unknown outcome', async () => {
  const { env, requests } = await startCannedServer({ body: petsFrom(1, 3) }, { hang: true });
  const screen = openScreenEmulator(temporaryDirectory(), [...browse, '--timeout', '300'], { env });
  await screen.see('1 of 3 pets');
  await addRex(screen);
  await vi.waitFor(() => expect(requests).toHaveLength(2), { timeout: 30_000 });
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
  await screen.see(/Canceled\. It is unknown whether the pet was added/);
});

test('a pet that was not added is reported on the screen and after it', async () => {
  const { env } = await startCannedServer({ body: petsFrom(1, 3) }, { status: 502 });
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env, columns: 100 });
  await screen.see('1 of 3 pets');
  await addRex(screen);
  await screen.see(/^Pets \[all\](.|\n)*^✗ .*HTTP 502.*it is unknown whether/m);
  // The message first appears where the prompts were, then on the list.
  await screen.see('1 of 3 pets');
  expect(screen.isAlternate()).toBe(true);
  screen.type(keyOf.escape);
  expect(await screen.exitCode).toBe(0);
  await screen.see(/^✗ .*HTTP 502/m);
  expect(screen.isAlternate()).toBe(false);
});

test('a key in a name is redacted, and -v prints requests after the screen closes', async () => {
  const { env } = await startCannedServer({});
  const { PETSTORE_API_KEY: key = '' } = env;
  const pet = { id: 1, name: `I know ${key}`, categoryId: 7 };
  const service = await startCannedServer({ body: JSON.stringify([pet]) });
  const args = [...browse, '-v'];
  const screen = openScreenEmulator(temporaryDirectory(), args, { env: service.env, columns: 120 });
  await screen.see('1 of 1');
  await screen.see('I know');
  screen.type(keyOf.escape);
  expect(await screen.exitCode).toBe(0);
  await screen.see(/> GET http.*v1.pets/);
  expect(screen.output()).not.toContain(key);
});

test('Esc works without waiting for another key', async () => {
  const { env } = await startCannedServer(pages[0] as CannedResponse);
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env });
  await screen.see('1 of 100');
  screen.type('ada');
  await screen.see('Filter: ada');
  // A busy machine may still deliver both keys together, so they are repeated.
  await vi.waitFor(
    async () => {
      screen.type(keyOf.escape);
      await setTimeout(200);
      screen.type('x');
      await setTimeout(200);
      expect(await screen.lines()).toContain('Filter: x▏');
    },
    { timeout: 30_000 },
  );
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('pets browse with stdout in a pipe exits with 2 and names pets list', async () => {
  const terminal = openShell(temporaryDirectory(), '{ petstore pets browse; echo code $? >&2; } | cat');
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.output()).toMatch(/petstore pets list.*code 2/s);
  expect(terminal.output()).not.toContain('\u001b[?1049h');
});

type Screen = ReturnType<typeof openScreenEmulator>;

/** Adds a pet through the prompts. */
async function addRex(screen: Screen): Promise<void> {
  screen.type(keyOf.add);
  await screen.see('Name:');
  expect(screen.isAlternate()).toBe(false);
  screen.type(`Rex${keys.enter}`);
  await screen.see('Category id:');
  screen.type(`7${keys.enter}`);
  await screen.see('Status:');
  screen.type(keys.enter);
  await screen.see('Add Rex (category 7, available)');
  screen.type(`y${keys.enter}`);
}

/** Returns a script that runs pets browse, then prints its exit code and the terminal settings. */
function browseScript(): string {
  return `echo before; '${node}' '${binary}' pets browse; echo code $? $(stty -a)`;
}
