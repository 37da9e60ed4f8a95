'use strict';

/*
 * Loaded before an executable of petstore (BUN_OPTIONS): the same clock as `createFastTestCli` has. The time moves only
 * when petstore waits, and each wait takes a moment: the end of a connection must arrive before the next request.
 */

const maxMs = 3_600_000;
const momentMs = 25;
const startTimer = globalThis.setTimeout;
let now = Date.UTC(2026, 10, 21, 12);

Date.now = () => now;
Math.random = () => 0.5;
globalThis.setTimeout = (callback, ms, ...args) => {
  // Other timers, such as those of undici, are not part of the clock.
  if (ms > maxMs || !/\bsleep\b/.test(new Error().stack)) return startTimer(callback, ms, ...args);
  const until = now + ms;
  return startTimer(() => {
    now = Math.max(now, until);
    callback();
  }, momentMs);
};
