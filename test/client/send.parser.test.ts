import { Script } from 'node:vm';
import type { buildConnector } from 'undici';
import { expect, test } from 'vitest';
import { compileParserEagerly } from '../../src/client/send.js';

const target = { hostname: 'a', protocol: 'http:', port: '80' };

let number = 100;
/** Sources of equal length, the only part that V8 compares, and each new, so that V8 compiles it. */
const newSource = () => `(function () { return ${number++}; })`;
const kept = new Script(newSource()).createCachedData();

/** V8 rejects cached code that was compiled under other flags. */
const areFlagsUsual = () => !new Script(newSource(), { cachedData: kept }).cachedDataRejected;

/** Returns whether V8 has its default flags while a connector calls back with this result. */
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
