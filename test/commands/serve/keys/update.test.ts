import { beforeEach, describe, expect, test } from 'vitest';
import { plans } from '../../../../src/api/plan.js';
import { fakeClock } from '../../../support/clock.js';
import { createTestCli, type TestCli } from '../../../support/test-cli.js';

let cli: TestCli;

beforeEach(async () => {
  cli = createTestCli({ clock: fakeClock(Date.UTC(2026, 10, 21, 12)) });
  await keys('create', '--plan', 'pro', '--label', 'ci');
});

describe('serve keys update', () => {
  test.each([
    ['--plan', 'business', { plan: 'business', ...plans.business }],
    ['--per-minute', '5', { plan: 'enterprise', perMinute: 5, perDay: plans.pro.perDay }],
    ['--per-day', '5', { plan: 'enterprise', perMinute: plans.pro.perMinute, perDay: 5 }],
    ['--label', 'deploy', { label: 'deploy' }],
    ['--label', 'ci', { label: 'ci' }],
    ['--expires', '2026-11-21', { expiresAt: '2026-11-22T00:00:00.000Z' }],
    ['--expires', '2026-12-31', { expiresAt: '2027-01-01T00:00:00.000Z' }],
    ['--expires', '2026-12-31T18:00:00.123456+02:00', { expiresAt: '2026-12-31T16:00:00.123Z' }],
  ])('changes only what %s %s names', async (flag, value, changed) => {
    const [before] = await list();
    const { stdout, stderr, exitCode } = await keys('update', 'ci', flag, value);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 });
    const [after] = await list();
    expect(stderr).toBe(`✓ Updated API key ${after?.keyPrefix} (${after?.label})\n`);
    expect(after).toEqual({ ...before, ...changed, ...remaining(after) });
  });

  test('removes an expiry', async () => {
    await keys('update', 'ci', '--expires', '2026-12-31');
    await keys('update', 'ci', '--expires', 'never');
    expect(await list()).toMatchObject([{ expiresAt: null }]);
  });

  test('rejects the label of another key and changes nothing', async () => {
    await keys('create', '--plan', 'free', '--label', 'other');
    const before = await list();
    const { stderr, exitCode } = await keys('update', 'ci', '--label', 'other', '--plan', 'free');
    expect(stderr).toBe(
      'error: another API key has the label other already\n' +
        '  hint: pass another --label, or revoke that API key first\n',
    );
    expect(exitCode).toBe(2);
    expect(await list()).toEqual(before);
  });

  test.each([
    [[], 'there is nothing to change'],
    [
      ['--expires', '2026-11-20'],
      '--expires must be in the future; the API key would have expired at 2026-11-21T00:00',
    ],
    [['--expires', '2026-11-21T12:00:00Z'], '--expires must be in the future'],
    [['--expires', 'soon'], '--expires must be a date, an RFC 3339 time or never, not "soon"'],
    [['--label', ' '], '--label must be 1 to 100 characters'],
  ])('rejects the flags %j', async (flags, problem) => {
    const before = await list();
    const { stdout, stderr, exitCode } = await keys('update', 'ci', ...flags);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(`error: ${problem}`);
    expect(await list()).toEqual(before);
  });
});

test('serve keys create sets an expiry, which the list shows', async () => {
  const { stdout } = await keys('create', '--plan', 'free', '--expires', '2026-11-30', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ expiresAt: '2026-12-01T00:00:00.000Z' });
  expect((await list()).map(({ expiresAt }) => expiresAt).sort()).toEqual(['2026-12-01T00:00:00.000Z', null]);
  expect((await keys('create', '--plan', 'free', '--expires', '2026-11-01')).exitCode).toBe(2);
  expect(await list()).toHaveLength(2);
});

interface Listed extends Record<string, unknown> {
  readonly keyPrefix: string;
  readonly label: string | null;
  readonly expiresAt: string | null;
}

/** Returns the remaining requests, which follow the limits. */
function remaining(key: Listed | undefined) {
  return { minuteLeft: key?.perMinute, dayLeft: key?.perDay };
}

function keys(...words: readonly string[]) {
  return cli.run(['serve', 'keys', ...words]);
}

async function list(): Promise<readonly Listed[]> {
  return JSON.parse((await keys('list', '--json')).stdout);
}
