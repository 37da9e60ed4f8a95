import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { displayWidth } from '../../src/format/display-width.js';
import { startCannedServer } from '../support/http-server.js';
import { newUser, openPipes, temporaryDirectory } from '../support/petstore.js';
import { expectCursor, keys, openTerminal } from '../support/terminal.js';
import { startService } from '../support/test-server.js';

/** One grapheme of 7 code points in 2 columns. */
const family = '👩‍👩‍👧‍👦';
const pets = [
  { id: 1, name: 'Ada', categoryId: 7, status: 'available' },
  { id: 23, name: family.repeat(40), categoryId: 12, status: 'sold' },
  { id: 1234567, name: 'Zoe\u0308\u001b[2J', categoryId: 1, status: 'pending' },
];

/** Returns the lines of `pets list` in a terminal, with and without escape sequences. */
async function listIn(columns: number, env: Readonly<Record<string, string>>) {
  const terminal = openTerminal(temporaryDirectory(), ['pets', 'list', '-q'], { env, columns });
  expect(await terminal.exitCode).toBe(0);
  const styled = terminal.output().trimEnd().split('\r\n');
  return { styled, lines: styled.map(stripVTControlCharacters) };
}

test('tables have bold titles, right-aligned exact ids and names cut between graphemes at every width', async () => {
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const widths = [40, 60, 80, 100, 200];
  const tables = await Promise.all(widths.map((width) => listIn(width, env)));
  for (const [index, { styled, lines }] of tables.entries()) {
    const [header = '', ada, long = '', zoe] = lines;
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(widths[index] ?? 0);
    expect(header).toMatch(/^ {5}ID {2}NAME +CATEGORY {2}STATUS$/);
    for (const title of ['ID', 'NAME', 'CATEGORY', 'STATUS']) expect(styled[0]).toMatch(`\u001b[1m${title}`);
    expect(ada).toMatch(/^ {6}1 {2}Ada +7 {2}available$/);
    expect(zoe).toMatch(/^1234567 {2}Zoe\u0308.* 1 {2}pending$/);
    const name = /^ {5}23 {2}(\S+) +12 {2}sold$/.exec(long)?.[1] ?? '';
    if (widths[index] === 200) expect(name).toBe(family.repeat(40));
    else expect(name).toBe(`${family.repeat((name.length - 1) / family.length)}…`);
  }
});

test('a terminal of less than 40 columns shows one pet per block, uncut', async () => {
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const { styled, lines } = await listIn(39, env);
  expect(lines).toHaveLength(14);
  expect(lines.slice(5, 9)).toEqual([
    'ID        23',
    `NAME      ${family.repeat(40)}`,
    'CATEGORY  12',
    'STATUS    sold',
  ]);
  expect(styled[0]).toBe('\u001b[1mID\u001b[22m        1');
});

test('--watch shows changes in color with the local time, and in a pipe with the exact time', async () => {
  const [ada, , zoe] = pets;
  const tom = { id: 23, name: 'Tom', categoryId: 2, status: 'sold' };
  const answers = [
    [ada, tom],
    [{ ...ada, status: 'sold' }, zoe],
  ];
  const start = () => startCannedServer(...answers.map((body) => ({ body: JSON.stringify(body) })));
  const user = newUser();
  const args = ['pets', 'list', '--watch', '1', '-q'];
  const [colored, plain, piped] = await Promise.all([start(), start(), start()]);
  const terminal = openTerminal(user.home, args, { env: { ...colored.env, TZ: 'Asia/Kathmandu' }, columns: 200 });
  const mono = openTerminal(user.home, args, { env: { ...plain.env, NO_COLOR: '1' }, columns: 40 });
  const pipe = openPipes(user, args, piped.env);
  const time = String.raw`\u001b\[2m(\d\d):(\d\d):\d\d\u001b\[22m`;
  await terminal.see(new RegExp(String.raw`-\S* ${time} \S*23 Tom sold`));
  await terminal.see(new RegExp(String.raw`~\S* ${time} \S*1 Ada sold; status was available`));
  await terminal.see(new RegExp(String.raw`\+\S* ${time} \S*1234567 Zoe\u0308\\u001b\[2J pending`));
  await mono.see(/- \d\d:\d\d:\d\d 23 Tom sold\r\n/);
  await mono.see(/~ \d\d:\d\d:\d\d 1 Ada sold; status was\r\n {2}available\r\n/);
  await expect.poll(pipe.stdout).toMatch(/^\+ .*pending$/m);
  for (const run of [terminal, mono]) {
    run.type(keys.interrupt);
    expect(await run.exitCode).toBe(0);
  }
  pipe.child.kill('SIGINT');
  const { stdout, exitCode } = await pipe.ended;
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^~ \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z 1 Ada sold; status was available$/m);
  // Kathmandu is 5:45 ahead of UTC.
  const [, hours, minutes] = new RegExp(time).exec(terminal.output()) ?? [];
  const utc = new Date((Number(hours) * 60 + Number(minutes) - 345) * 60_000);
  const age = (Date.now() - utc.getTime()) % 86_400_000;
  expect(age).toBeLessThan(120_000);
});

test('a list of many pages shows progress, and Ctrl-C cancels it', async () => {
  let page = 0;
  const { env } = await startCannedServer(() => {
    page += 1;
    return {
      body: `[{"id":${page},"name":"A","categoryId":1}]`,
      headers: { link: `</v1/pets?after=${page}>; rel="next"` },
    };
  });
  const terminal = openTerminal(newUser().home, ['pets', 'list', '--all'], { env });
  await terminal.see(/Fetched \d+ pets/);
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
  expectCursor(terminal.output());
});

test('the parser of responses works without SIMD', async () => {
  const { env } = await startService();
  const { stdout } = await newUser().run(['pets', 'list', '--limit', '1', '--fields', 'name', '--json'], {
    env: { ...env, UNDICI_NO_WASM_SIMD: '1' },
  });
  expect(JSON.parse(stdout)).toHaveLength(1);
});
