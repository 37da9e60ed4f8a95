import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, test, vi } from 'vitest';
import { type CannedResponse, startCannedServer } from '../support/canned-server.js';
import { bareEnv, binary, newUser, node, preloadEnv, temporaryDirectory } from '../support/petstore.js';
import { openScreenEmulator } from '../support/screen-emulator.js';
import { expectCursor, keys, openShell, openTerminal } from '../support/terminal.js';

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
  await screen.see(/\n127\.0\.0\.1:\d+ · 57 of 60 requests left · resets in \d+m( \d+s)? · loaded \d+s ago$/);
  screen.type('cleo 9');
  await screen.see('1 of 3 matches in 130 pets');
  await screen.see(/name +Cleo 90/);
  screen.type('\u0015');
  await screen.see('90 of 130');
  screen.type(keyOf.end);
  await screen.see('130 of 130');
  screen.type('\t');
  await screen.see('1 of 130');
  screen.type('\t');
  await screen.see('0 pets');
  screen.type('\u001b[Z\u001b[Z');
  await screen.see('[all]');
  await addRex(screen);
  await screen.see('✓ Added Rex (id 9223372036854775807)');
  await screen.see('131 of 131');
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

test('every letter filters, the filter finds pets on every page, and Esc clears it before it quits', async () => {
  const { env, requests } = await startCannedServer(
    { body: petsFrom(1, 100), headers: { ...quota, ...next } },
    { body: '[{"id":1999,"name":"quinn","categoryId":7,"tag":"far away"}]', headers: quota },
  );
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env, columns: 120 });
  await screen.see('1 of 100 loaded');
  screen.type('quinn');
  await screen.see('1 of 1 match in 101 pets');
  await screen.see(/❯ 1999 +quinn/);
  await screen.see(/tag +far away/);
  await screen.see(/Request +GET \/v1\/pets\?limit=100&cursor=x/);
  await screen.see(/Fetched +\d+s ago/);
  screen.type(keyOf.escape);
  await screen.see('1 of 101');
  screen.type(keyOf.escape);
  expect(await screen.exitCode).toBe(0);
  expect(requests).toHaveLength(2);
});

test('pages in the background use half of the remaining quota, and End uses half of the rest', async () => {
  const responses = pagesWithQuota(5, [4, 3, 2, 1]);
  const { env, requests } = await startCannedServer(...responses);
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env, columns: 100 });
  await screen.see('1 of 100 loaded');
  screen.type('cleo');
  await screen.see(/^! half of the remaining quota is used; retry in .* \(press End to retry\)$/m);
  expect(requests).toHaveLength(3);
  screen.type(keyOf.end);
  await screen.see('100 matches in 400 loaded');
  await screen.see('half of the remaining quota is used');
  expect(requests).toHaveLength(4);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('if another process has used up the quota, End says so', async () => {
  const responses = pagesWithQuota(5, [4, 3, 2, 0]);
  const { env } = await startCannedServer(...responses);
  const home = temporaryDirectory();
  const screen = openScreenEmulator(home, browse, { env, columns: 100 });
  await screen.see('1 of 100 loaded');
  screen.type(keyOf.end);
  await screen.see('half of the remaining quota is used');
  await execa(node, [binary, 'pets', 'list'], { env: { ...bareEnv(home), ...env }, extendEnv: false });
  screen.type(keyOf.end);
  await screen.see(/^! the day's quota of \S+ \(5 requests\) is used up; .*retry in \d+m/m);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('after Esc has stopped a filter, a letter resumes loading, and End uses half of the rest of the quota during a wait', async () => {
  const responses = pagesWithQuota(9, [8, 7, 6, 5, 4, 3], { hasEnd: true });
  const { env, requests } = await startCannedServer(...responses);
  const screen = openScreenEmulator(temporaryDirectory(), [...browse, '--max-wait', '4000'], { env, columns: 100 });
  await screen.see('1 of 100 loaded');
  screen.type('20');
  await screen.see(/Waiting .* to leave half of the quota; Esc stops/);
  expect(requests).toHaveLength(5);
  screen.type('01');
  await screen.see('No match in the 500 loaded pets yet.');
  screen.type(keyOf.escape);
  await screen.see('No match in the 500 loaded pets. Press End to load the rest.');
  screen.type('x');
  await screen.see('Filter: 2001x');
  await screen.see(/Waiting .* to leave half of the quota; Esc stops/);
  screen.type(keyOf.escape);
  await screen.see('No match in the 500 loaded pets. Press End to load the rest.');
  screen.type('\u007f');
  await screen.see(/Filter: 2001▏/);
  await screen.see(/Waiting .* to leave half of the quota; Esc stops, End loads more/);
  expect(requests).toHaveLength(5);
  screen.type(keyOf.end);
  await screen.see('No pet matches "2001". Press Esc to clear the filter.');
  await screen.see('No match in 600 pets');
  expect(requests).toHaveLength(6);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('Enter opens the JSON of the pet, which the side pane does not show', async () => {
  const { env } = await startCannedServer({ body: petsFrom(1, 3), headers: quota });
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env, columns: 120 });
  await screen.see(/│ name +Balu 1 *$/m);
  expect((await screen.lines()).join('\n')).not.toMatch(/JSON|"/);
  screen.type(keys.enter);
  await screen.see(
    /^JSON\n\{\n {2}"id": 1,\n {2}"name": "Balu 1",\n {2}"categoryId": 7,\n {2}"status": "available"\n\}$/m,
  );
  screen.type(keyOf.escape);
  await screen.see(/│ name +Balu 1 *$/m);
  screen.type(keyOf.escape);
  expect(await screen.exitCode).toBe(0);
});

test('Ctrl-S changes the order of the rows', async () => {
  const pets = [
    { id: 1, name: 'Dora', categoryId: 7, status: 'pending' },
    { id: 2, name: 'Ada', categoryId: 7, status: 'sold' },
    { id: 3, name: 'Cleo', categoryId: 7, status: 'available' },
  ];
  const { env, requests } = await startCannedServer({ body: JSON.stringify(pets), headers: quota });
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env });
  await screen.see(/1 +Dora(.|\n)*2 +Ada(.|\n)*3 +Cleo/);
  screen.type(keyOf.sort);
  await screen.see(/2 +Ada(.|\n)*3 +Cleo(.|\n)*1 +Dora(.|\n)*sorted by name/);
  screen.type(keyOf.sort);
  await screen.see(/3 +Cleo(.|\n)*1 +Dora(.|\n)*2 +Ada(.|\n)*sorted by status/);
  screen.type(keyOf.escape);
  expect(await screen.exitCode).toBe(0);
  expect(requests).toHaveLength(1);
});

test('an empty sandbox shows only the keys that do something', async () => {
  const user = newUser();
  expect((await user.run(['sandbox', 'reset', '--pets', '0', '--yes'])).exitCode).toBe(0);
  const screen = openScreenEmulator(user.home, browse, { columns: 100 });
  await screen.see('The service has no pets. Press Ctrl-N to add one, or Ctrl-R to reload.');
  await screen.see(/^\? help · Esc quit · Tab status · \^N add · \^R reload$/m);
  screen.type(keyOf.escape);
  expect(await screen.exitCode).toBe(0);
});

test('Ctrl-C after a canceled add leaves nothing on the screen', async () => {
  const { env } = await startCannedServer({ body: '[]' });
  const script = `echo before; '${node}' '${binary}' pets browse; echo code $?`;
  const screen = openScreenEmulator(temporaryDirectory(), ['sh', '-c', script], { env });
  await screen.see('The service has no pets. Press Ctrl-N to add one');
  screen.type(keyOf.add);
  await screen.see(/^Add a pet to 127\.0\.0\.1:\d+\nEsc goes back, .*\n\n\? Name:\n\s*$/);
  screen.type(`Rex${keys.enter}`);
  await screen.see('Category id:');
  screen.type(keys.interrupt);
  await screen.see('Canceled. Nothing was added.');
  expect(screen.output()).not.toContain('\u001b[?1049l');
  expect((await screen.lines())[0]).toContain('Pets [all]');
  screen.type(keys.interrupt);
  await screen.see(/^before\ncode 130\n\s*$/);
});

test.each([40, 60, 80, 100, 200])('the selected row is highlighted across a list of %i columns', async (columns) => {
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
    [120, 6],
    [60, 5],
    [100, 10],
    [40, 24],
  ] as const) {
    screen.resize(columns, rows);
    const quotaShown = columns < 80 ? '57(/60)? left' : '57 of 60 requests left( .*)?';
    await screen.see(
      new RegExp(`^Pets \\[all\\] available pending sold\n(.*\n){${rows - 2}}.*${quotaShown} · loaded \\d+s ago$`),
    );
    const selected = (await screen.lines()).filter((line) => line.startsWith('❯'));
    expect(selected).toHaveLength(1);
  }
  screen.type(keyOf.escape);
  expect(await screen.exitCode).toBe(0);
  expect(requests).toHaveLength(1);
});

describe('the terminal is restored', () => {
  const ends: readonly (readonly [string, number, (screen: Screen) => void])[] = [
    ['Ctrl-C', 130, (screen) => screen.type(keys.interrupt)],
    ['Esc', 0, (screen) => screen.type(keyOf.escape)],
    ['Ctrl-D', 130, (screen) => screen.type(keys.endOfInput)],
  ];
  test.each(ends)('after %s, with exit code %i', async (_, code, end) => {
    const screen = openScreenEmulator(temporaryDirectory(), ['sh', '-c', browseScript()]);
    await screen.see('1 of 72');
    expect(screen.isAlternate()).toBe(true);
    end(screen);
    await screen.see(new RegExp(`before\\n(.|\\n)*code ${code} (.|\\n)* icanon(.|\\n)* echo `));
    expect(screen.isAlternate()).toBe(false);
    expectCursor(screen.output());
  });

  test.each<[NodeJS.Signals, number]>([
    ['SIGTERM', 143],
    ['SIGQUIT', 131],
  ])('after %s, with exit code %i', async (signal, code) => {
    const screen = openScreenEmulator(temporaryDirectory(), browse);
    await screen.see('1 of 72');
    screen.kill(signal);
    expect(await screen.exitCode).toBe(code);
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
    await screen.see(/Waiting 50s for the quota of 127/);
    screen.type('?');
    await screen.see('delete one character');
    await screen.see(/Waiting 4\ds for the quota of 127/);
    screen.type('x');
    await screen.see('Type to filter');
    screen.type('ada');
    await screen.see('Filter: ada');
    screen.type(`\u0015`);
    await screen.see('Type to filter');
    screen.type(keyOf.escape);
    await screen.see('Stopped. Press Ctrl-R to load the pets.');
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
    await screen.see('1 of 100 loaded, more to load');
    screen.type(keyOf.escape);
    expect(await screen.exitCode).toBe(0);
    expect(requests).toHaveLength(2);
  });
});

test('adds that wait for the quota say so, and Esc cancels them before it quits', async () => {
  const used = usedUpQuota();
  const { env, requests } = await startCannedServer({ body: petsFrom(1, 3), headers: used });
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env, columns: 100 });
  await screen.see('1 of 3');
  await addRex(screen);
  await screen.see(/Adding Rex: waiting \d+s for the quota of 127\.0\.0\.1:\d+; Esc cancels/);
  await addRex(screen);
  await screen.see('Adding 2 pets: waiting');
  screen.type('cleo');
  await screen.see('1 match in 3 pets');
  await screen.see('Adding 2 pets: waiting');
  screen.type(keyOf.escape);
  await screen.see('Canceled. 2 pets were not added. Ctrl-N edits and resends.');
  expect((await screen.lines())[1]).toBe('Filter: cleo▏');
  screen.type(keyOf.add);
  await screen.see(/Name: Rex$/m);
  screen.type(keyOf.escape);
  await screen.see('Canceled. Nothing was added.');
  screen.type(keyOf.escape);
  await screen.see('Type to filter');
  screen.type(keyOf.escape);
  expect(await screen.exitCode).toBe(0);
  expect(requests).toHaveLength(1);
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

test('Esc during a create stays in the list, and Ctrl-C reports an unknown outcome', async () => {
  const { env, requests } = await startCannedServer({ body: petsFrom(1, 3) }, { hang: true });
  const screen = openScreenEmulator(temporaryDirectory(), [...browse, '--timeout', '300'], { env });
  await screen.see('1 of 3');
  await addRex(screen);
  await screen.see('Adding Rex… Ctrl-C quits');
  await vi.waitFor(() => expect(requests).toHaveLength(2), { timeout: 30_000 });
  screen.type('cleo');
  await screen.see('Filter: cleo');
  screen.type(keyOf.escape);
  await screen.see('Type to filter');
  // A message that Esc clears shows that it has arrived.
  screen.type(keyOf.copy);
  await screen.see(/clipboard|copying/);
  screen.type(keyOf.escape);
  await screen.see('Adding Rex… Ctrl-C quits');
  screen.type('\t');
  await screen.see('[available]');
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
  await screen.see(/Canceled\. It is unknown whether Rex was added/);
});

test('the screen and the message after it name every pet whose outcome is unknown', async () => {
  const lost = { status: 502, waits: true } as const;
  const { env, requests, respond } = await startCannedServer({ body: petsFrom(1, 3) }, lost, lost, { hang: true });
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env, columns: 100 });
  await screen.see('1 of 3');
  await addPet(screen, 'Rex');
  await screen.see('Adding Rex…');
  await addPet(screen, 'Tom');
  await screen.see('Adding 2 pets…');
  respond();
  await screen.see(/✗ It is unknown whether (Rex and Tom|Tom and Rex) were added: .*502/);
  await addPet(screen, 'Ada');
  await vi.waitFor(() => expect(requests).toHaveLength(4), { timeout: 30_000 });
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(9);
  await screen.see(/error: [^;]*; it is unknown\s+whether (Rex, Tom|Tom, Rex)\s+and Ada\s+were added\n/);
  await screen.see(/hint: run petstore pets list --all to look for the pets\s+before you add them again/);
});

test('while a pet is added, a canceled form hides nothing, and the filter that is typed stays', async () => {
  const created = { status: 201, body: '{"id":9,"name":"Rex","categoryId":7}', waits: true } as const;
  const { env, respond } = await startCannedServer({ body: petsFrom(1, 3) }, created);
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env });
  await screen.see('1 of 3');
  await addRex(screen);
  await screen.see('Adding Rex…');
  screen.type(keyOf.add);
  await screen.see(/Name:$/m);
  screen.type(keyOf.escape);
  await screen.see('Adding Rex…');
  screen.type('cl');
  await screen.see('Filter: cl');
  respond();
  await screen.see('✓ Added Rex (id 9)');
  screen.type('eo');
  await screen.see(/Filter: cleo(.|\n)*1 of 1 match in 4 pets/);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('a pet that was not added is offered again, and Ctrl-D cancels the prompts', async () => {
  const { env, requests } = await startCannedServer(
    { body: petsFrom(1, 3) },
    { status: 429, headers: { 'retry-after': '3600' } },
  );
  const screen = openScreenEmulator(temporaryDirectory(), browse, { env, columns: 100 });
  await screen.see('1 of 3');
  await addRex(screen);
  await screen.see(/Not added\. Retry in (1h|59m.*) with Ctrl-N: /);
  expect(requests).toHaveLength(2);
  screen.type(keyOf.add);
  await screen.see(/Name: Rex$/m);
  screen.type(`y${keys.enter}`);
  await screen.see(/Category id: 7$/m);
  screen.type('\u0015');
  await screen.see(/Category id: \(7\)$/m);
  screen.type(keys.endOfInput);
  await screen.see('Canceled. Nothing was added.');
  expect(screen.isAlternate()).toBe(true);
  screen.type(keyOf.escape);
  expect(await screen.exitCode).toBe(0);
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

test('a rejected key exits with 3', async () => {
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
])('pets browse with %s exits with 2 and names pets list', async (_, args, env) => {
  const terminal = openTerminal(temporaryDirectory(), ['pets', 'browse', ...args], { env });
  expect(await terminal.exitCode).toBe(2);
  expect(terminal.output()).toContain('petstore pets list');
  expect(terminal.output()).not.toContain('\u001b[?1049h');
});

test('pets browse with stdout in a pipe exits with 2 and names pets list', async () => {
  const terminal = openShell(temporaryDirectory(), '{ petstore pets browse; echo code $? >&2; } | cat');
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.output()).toMatch(/petstore pets list.*code 2/s);
  expect(terminal.output()).not.toContain('\u001b[?1049h');
});

type Screen = ReturnType<typeof openScreenEmulator>;

/** Adds a pet through the prompts. */
async function addPet(screen: Screen, name: string): Promise<void> {
  screen.type(keyOf.add);
  await screen.see('Name:');
  expect(screen.isAlternate()).toBe(true);
  screen.type(`${name}${keys.enter}`);
  await screen.see('Category id:');
  screen.type(`7${keys.enter}`);
  await screen.see('Status:');
  screen.type(keys.enter);
  await screen.see(`Add ${name} (category 7, available)`);
  screen.type(`y${keys.enter}`);
}

function addRex(screen: Screen): Promise<void> {
  return addPet(screen, 'Rex');
}

/** Returns a script that runs pets browse, then prints its exit code and the terminal settings. */
function browseScript(): string {
  return `echo before; '${node}' '${binary}' pets browse; echo code $? $(stty -a)`;
}
