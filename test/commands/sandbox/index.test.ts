import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeClock } from '../../support/clock.js';
import { createTestCli } from '../../support/test-cli.js';

test('plan changes the limits and keeps the pets', async () => {
  const world = createTestCli({ clock: fakeClock() });
  await world.run(['pets', 'add', '--name', 'Rex', '--category-id', '1']);
  const changed = await world.run(['sandbox', 'plan', 'pro']);
  expect(changed.stderr).toBe('the sandbox now allows 300 requests a minute and 10000 a day\n');
  const { stderr } = await world.run(['pets', 'list', '--limit', '1']);
  expect(stderr).toContain('298 of 300 requests left');
  const status = JSON.parse((await world.run(['sandbox', 'status', '--json'])).stdout);
  expect(status).toMatchObject({ pets: 73, plan: 'pro', perMinute: 300, perDay: 10_000 });
});

test('reset puts the sample animals back and starts ids and quota anew', async () => {
  const world = createTestCli({ clock: fakeClock() });
  const add = ['pets', 'add', '--name', 'Rex', '--category-id', '1', '--json'];
  await world.run(add);
  expect((await world.run(['sandbox', 'reset', '--yes'])).exitCode).toBe(0);
  const { stdout, stderr } = await world.run(add);
  expect(JSON.parse(stdout)).toMatchObject({ id: 73 });
  expect(stderr).toContain('59 of 60 requests left');
});

test('reset --empty leaves no animals, and --plan sets the limits', async () => {
  const world = createTestCli({ clock: fakeClock() });
  await world.run(['sandbox', 'reset', '--yes', '--empty', '--plan', 'business']);
  const list = await world.run(['pets', 'list']);
  expect(list.stderr).toContain('No pets found.');
  expect(list.stderr).toContain('999 of 1000 requests left');
});

test('reset asks, and where no one can answer it names --yes', async () => {
  const run = await createTestCli().run(['sandbox', 'reset']);
  expect(run.stderr).toContain('error: pass --yes');
  expect(run.exitCode).toBe(2);
});

test('an unknown plan gets a suggestion', async () => {
  const run = await createTestCli().run(['sandbox', 'plan', 'buisness']);
  expect(run.stderr).toBe(
    'error: the plan must be one of free, pro, business, enterprise, not "buisness"\n' +
      '  hint: did you mean "business"?\n',
  );
  expect(run.exitCode).toBe(2);
});

test('what is known of the quota and cannot be forgotten is told of', async () => {
  const world = createTestCli({ clock: fakeClock() });
  const directory = join(world.home, '.local/state/petstore/quota');
  mkdirSync(dirname(directory), { recursive: true });
  writeFileSync(directory, '');
  const { stderr, exitCode } = await world.run(['sandbox', 'plan', 'pro']);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('warning: what is known of the quota cannot be forgotten: ');
});
