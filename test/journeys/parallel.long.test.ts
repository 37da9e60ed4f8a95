import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newUser } from '../support/petstore.js';

const settings = [
  ['accessible', 'true'],
  ['color', 'never'],
  ['max-wait', '7'],
  ['output', 'json'],
  ['profile', 'production'],
  ['timeout', '9'],
] as const;

test('six concurrent processes lose no setting or profile and leave no temporary file', async () => {
  const user = newUser();
  const names = Array.from({ length: 60 }, (_, index) => `p${index}`);
  const lanes = settings.map((setting, lane) => [
    ['config', 'set', ...setting],
    ...names
      .filter((_, index) => index % settings.length === lane)
      .map((name) => ['profile', 'set', name, '-o', 'csv']),
  ]);
  const failed: unknown[] = [];
  await Promise.all(
    lanes.map(async (lane) => {
      for (const args of lane) {
        const run = await user.run(args);
        if (run.exitCode !== 0) failed.push({ args, ...run });
      }
    }),
  );
  expect(failed).toEqual([]);
  const directory = join(user.home, '.config/petstore');
  const config = JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8'));
  expect(Object.keys(config.profiles).sort()).toEqual([...names].sort());
  expect(Object.keys(config.settings).sort()).toEqual(settings.map(([name]) => name));
  expect(readdirSync(directory)).toEqual(['config.json']);
});
