import { Script } from 'node:vm';
import type { buildConnector } from 'undici';
import { expect, test } from 'vitest';
import { compileParserEagerly } from '../../src/client/send.js';

const target = { hostname: 'a', protocol: 'http:', port: '80' };

let number = 100;
/** Each as long as the others, since V8 compares only that, and compiles nothing that it knows already. */
const newSource = () => `(function () { return ${number++}; })`;
const kept = new Script(newSource()).createCachedData();

/** V8 refuses code that was kept under other flags. */
const areFlagsUsual = () => !new Script(newSource(), { cachedData: kept }).cachedDataRejected;

/** What is seen of the flags while a connection is made with this outcome. */
function seenIn(
  around: Awaited<ReturnType<typeof compileParserEagerly>>,
  outcome: readonly [Error | null, unknown],
): boolean | undefined {
  let seen: boolean | undefined;
  const connect = around((_, callback) => callback(...(outcome as [null, never])));
  connect(target, () => {
    seen = areFlagsUsual();
  });
  return seen;
}

test('Node.js 20 compiles the parser once under other flags', async () => {
  const around = await compileParserEagerly('20.20.2');
  expect(seenIn(around, [new Error('refused'), null])).toBe(true);
  expect(seenIn(around, [null, {}])).toBe(false);
  expect(areFlagsUsual()).toBe(true);
  expect(seenIn(around, [null, {}])).toBe(true);
});

test('the flags are restored if compilation fails', async () => {
  const around = await compileParserEagerly('20.20.2');
  const connect = around((_, callback) => callback(null, {} as never));
  const failing: buildConnector.Callback = () => {
    throw new Error('no parser');
  };
  expect(() => connect(target, failing)).toThrow('no parser');
  expect(areFlagsUsual()).toBe(true);
});

test('Node.js 22 changes no flags', async () => {
  expect(seenIn(await compileParserEagerly('22.1.0'), [null, {}])).toBe(true);
});
