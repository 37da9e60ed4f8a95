import type { Around } from './send.js';

/**
 * Node.js 20 compiles undici's parser a second time, better, and waits for that when it ends: longer than all else that
 * a command does. So the parser is made under other flags than usual, all of it at once by several threads, which takes
 * half as long as bit by bit. That is when the first connection stands; the flags hold no longer, since V8 refuses code
 * that was kept under others. Newer ones do not wait.
 */
export async function makingParserOnce(nodeVersion: string): Promise<Around> {
  if (Number.parseInt(nodeVersion, 10) >= 22) return (connect) => connect;
  const { setFlagsFromString } = await import('node:v8');
  let isMade = false;
  return (connect) => (target, callback) =>
    connect(target, (...outcome) => {
      if (isMade || outcome[0]) return callback(...outcome);
      isMade = true;
      for (const flag of flags) setFlagsFromString(flag);
      try {
        callback(...outcome);
      } finally {
        for (const flag of usualFlags) setFlagsFromString(flag);
      }
    });
}

const flags = ['--liftoff-only', '--no-wasm-lazy-compilation'];

/** What Node.js 20 starts with; `--liftoff-only` changes the two in the middle too, and does not give them back. */
const usualFlags = [
  '--no-liftoff-only',
  '--wasm-tier-up',
  '--wasm-dynamic-tiering',
  '--wasm-lazy-compilation',
];
