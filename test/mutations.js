// Checks the tests of the most important rules: breaks one rule at a time, runs a test file, and expects it to fail. The
// sources stay unchanged, since a plugin of Vite replaces the text while a test loads the file. Fails if a mutation
// survives, or if its text does not occur exactly once.
// `node test/mutations.js [number]...` runs all mutations, or those with these numbers
import { readFileSync } from 'node:fs';
import { startVitest } from 'vitest/node';

const retries = ['src/client/decide-retry.ts', 'test/client/decide-retry.test.ts'];
const outcomes = ['src/client/outcome.ts', 'test/client/with-retries.test.ts'];
const attempts = ['src/client/with-retries.ts', 'test/client/with-retries.test.ts'];
const admission = ['src/quota/admit.ts', 'test/quota/admit.test.ts'];
const settlement = ['src/quota/settle.ts', 'test/quota/admit.test.ts'];
const limits = ['src/quota/rate-limit-info.ts', 'test/quota/rate-limit-info.test.ts'];
const rows = ['src/commands/pets/import/send-rows.ts', 'test/commands/pets/import/model.test.ts'];
const sending = ['src/commands/pets/import/send-rows.ts', 'test/commands/pets/import/send-rows.test.ts'];
const journal = ['src/commands/pets/import/journal.ts', 'test/commands/pets/import/journal.test.ts'];
const plan = ['src/commands/pets/import/plan.ts', 'test/commands/pets/import/resume.test.ts'];
const rateLimits = ['src/server/rate-limits.ts', 'test/server/rate-limits.test.ts'];
const idempotency = ['src/server/idempotency.ts', 'test/server/idempotency.test.ts'];
const apiKeys = ['src/server/api-keys.ts', 'test/server/request-handler.test.ts'];
const keyFiles = ['src/server/api-keys.ts', 'test/commands/serve/serve.test.ts'];
const hosts = ['src/server/host-check.ts', 'test/server/host-check.test.ts'];
const requests = ['src/server/request-handler.ts', 'test/server/request-handler.conformance.test.ts'];

/** What breaks; the file and the test that must fail; the text and what replaces it. */
const mutations = [
  [
    'a create without proof of key support is sent again',
    attempts,
    'getKeyTimeLeftMs(support, 0) : 0',
    '1e9 : Infinity',
  ],
  ['a create that may have had an effect is sent again', attempts, "outcome.effect === 'none' ?", 'true ?'],
  ['a retry may start after the timeout', retries, 'countedMs < timeoutMs && ', ''],
  ['a retry may start after the key has expired', retries, ' && now + retry.delayMs < repeatableUntil', ''],
  ['a retry may wait longer than --max-wait', retries, 'retryAt - now > maxWaitMs', 'false'],
  ['a 429 is never sent again', retries, '[429, 500,', '[500,'],
  ['a lost response of a create has no effect', outcomes, "return lost ? 'unknown'", "return lost ? 'none'"],
  ['a 5xx to a create is certain to have no effect', outcomes, ' || status >= 500', ''],
  ['any later response settles an unknown outcome', outcomes, " = after.effect === 'unknown' || ", ' = true || '],
  ['a 4xx without a code of the API settles', outcomes, " && typeof readErrorCode(attempt) === 'string'", ''],
  [
    'an attempt may run after its key has expired',
    attempts,
    'const send = repeatableUntil === undefined ?',
    'const send = true ?',
  ],
  ['a wait for the service counts against --timeout', attempts, "retry.waitSource === 'service'", 'false'],

  ['a block ends at once', admission, 'now < endsAt + marginMs', 'now < 0'],
  ['the clock uncertainty of a block is ignored', admission, 'block.clockUncertaintyMs +', '0 +'],
  ['one request more than remains is admitted', admission, 'remaining <= 0', 'remaining < 0'],
  ['requests in flight are not counted', admission, 'count <= permits.length', 'count <= 0'],
  ['several probes are sent at once', admission, ' || isQuotaUnknown(state, now)', ''],
  ['--leave is ignored', admission, 'window.remaining - leave(window)', 'window.remaining'],
  [
    'a window ends without its uncertainty',
    admission,
    'window.endsAt + window.clockUncertaintyMs >',
    'window.endsAt >',
  ],
  ['an expired permit is not counted', admission, 'isExpired).reduce(countAsSent', 'isExpired).reduce(removePermit'],
  ['a lost response is not counted', settlement, "'lost') return countAsSent", "'lost') return removePermit"],
  ['a late response overwrites a newer window', settlement, 'sentAt < known.startedAt && resetAt', 'false && resetAt'],
  ['an old response raises the remaining count', settlement, 'Math.min(known.remaining, ', 'Math.max(0, '],
  ['a shorter block replaces a longer one', settlement, 'findSpanEnd(known, now) > ', '0 > '],
  ['a 403 with Retry-After is no ban', limits, 'status === 403 && retryAt', 'false && retryAt'],
  ['the earliest of several Retry-After wins', limits, 'Math.max(...times)', 'Math.min(...times)'],
  ['the clock skew of the service is ignored', limits, ': { skewMs: minSkewMs,', ': { skewMs: 0,'],

  [
    'a row is sent before the journal says so',
    rows,
    'await journal.record({ sent: key, at: now() })',
    'journal.record({ sent: key, at: now() }).catch(() => {})',
  ],
  [
    'a row that was added is sent again',
    rows,
    "select(undefined, 'rejected')",
    "select(undefined, 'rejected', 'added')",
  ],
  ['a row without an outcome is sent as new', rows, "select(undefined, 'rejected')", "select(undefined, 'sent')"],
  ['a row of another API key is sent again', rows, 'account === journal.account && ', ''],
  ['a row is sent after its key expired', sending, 'isKeyStored(support, ', 'isKeyStored({ lifetimeMs: Infinity }, '],
  ['an unknown outcome is recorded as unsent', sending, 'if (!mayBeAdded) void', 'void'],
  ['each run has other idempotency keys', journal, 'headers[0]?.prefix ?? header.prefix', 'header.prefix'],
  ['a line that was cut off is read', journal, "if (!line.endsWith('\\n')) break;", ''],
  ['a row is sent after the lock was lost', journal, "!('added' in event) && !lock.isHeld()", 'false'],
  ['a row that was added can become unsent', journal, "=== 'added') return;", "=== '') return;"],
  [
    'a journal of another service is continued',
    plan,
    'if (journal.headers.some(',
    'if (false && journal.headers.some(',
  ],

  ['a window admits one request more', rateLimits, 'minute_used >= :perMinute', 'minute_used > :perMinute'],
  ['ten rejected requests do not ban', rateLimits, 'rejectionsBeforeBan = 10', 'rejectionsBeforeBan = 11'],
  ['a key is accepted with another body', idempotency, 'row.request_digest === request.requestDigest', 'true'],
  ['an idempotency key never expires', idempotency, 'isSameKey} AND expires_at <=', 'isSameKey} AND 0 >'],
  ['an expired API key is accepted', apiKeys, 'expiresAt <= now', 'false'],
  ['a revoked key of a file is added again', keyFiles, 'revoked_keys.digest = :digest', '0 = 1'],
  ['a foreign Origin is accepted', hosts, 'origin !== undefined && !isSame', 'false && !isSame'],
  ['a body above 64 KiB is accepted', requests, 'if (body.length > maxBodyBytes) throw bodyTooLarge();', ''],
];

/** Returns the title of the first test that fails with a mutation; undefined if all pass. */
async function findFailure([, [file, test], from, to]) {
  const plugin = {
    name: 'mutation',
    enforce: 'pre',
    transform: (code, id) => (id.endsWith(`/${file}`) ? code.replace(from, () => to) : undefined),
  };
  const options = { watch: false, bail: 1, reporters: [{}] };
  const vitest = await startVitest('test', [test], options, { plugins: [plugin] });
  const modules = vitest.state.getTestModules();
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  await vitest.close();
  if (tests.length === 0) throw new Error(`${test} does not run`);
  return tests.find((each) => each.result().state === 'failed')?.fullName;
}

const numbers = process.argv.slice(2).map(Number);
let problems = 0;
for (const [index, mutation] of mutations.entries()) {
  const [rule, [file], from] = mutation;
  if (numbers.length > 0 && !numbers.includes(index + 1)) continue;
  const count = readFileSync(file, 'utf8').split(from).length - 1;
  const failure = count === 1 ? await findFailure(mutation) : undefined;
  if (failure === undefined) problems += 1;
  const result = count !== 1 ? `TEXT OCCURS ${count} TIMES` : failure ? `caught by "${failure}"` : 'SURVIVED';
  process.stdout.write(`${index + 1}. ${rule}: ${result}\n`);
}
process.exit(problems > 0 ? 1 : 0);
