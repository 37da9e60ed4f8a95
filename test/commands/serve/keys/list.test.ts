import { expect, test } from 'vitest';
import { createTestCli } from '../../../support/test-cli.js';

test('serve keys list leaves out columns without a value on a terminal only', async () => {
  const cli = createTestCli({ columns: 80 });
  const piped = createTestCli();
  for (const { run } of [cli, piped]) await run(['serve', 'keys', 'create', '--plan', 'pro', '--label', 'ci']);
  const { stdout } = await cli.run(['serve', 'keys', 'list']);
  expect(stdout).toContain('LABEL');
  expect(stdout).not.toMatch(/BAN ENDS|EXPIRES|SUCCESSOR/);
  await cli.run(['serve', 'keys', 'update', 'ci', '--expires', '2999-01-01']);
  expect((await cli.run(['serve', 'keys', 'list', '--fields', 'label,expiresAt,successor'])).stdout).toMatch(
    /SUCCESSOR/,
  );
  expect((await cli.run(['serve', 'keys', 'list'])).stdout).toMatch(/EXPIRES/i);
  expect((await piped.run(['serve', 'keys', 'list'])).stdout).toMatch(/bannedUntil .* expiresAt .* successor/);
});
