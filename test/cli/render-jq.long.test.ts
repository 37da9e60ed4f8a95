import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { startCannedServer } from '../support/canned-server.js';
import { patientClock } from '../support/clock.js';
import { createTestCli } from '../support/test-cli.js';

test.each([
  ['never ends', 'def f: f; f', 'the --jq program timed out after 5 seconds', systemClock],
  ['allocates without limit', 'def f: [f]; f', 'jq: cannot allocate memory', patientClock],
])('a program that %s is stopped', async (_, program, message, clock) => {
  const { env } = await startCannedServer({ body: '[]' });
  const { stdout, stderr, exitCode } = await createTestCli({ clock }).run(['pets', 'list', '--jq', program], {
    env,
  });
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'jq_failed', message });
});
