import type { ConnectorWrapper } from './send.js';

/**
 * Makes Node.js 20 compile undici's WebAssembly parser once, without optimizing. Otherwise V8 compiles it a second
 * time in the background and waits for that at exit: `pets list --json` then uses 2.9 times the CPU time. The flags
 * hold only while the first connection is handed to undici, because V8 rejects cached code that was compiled under
 * other flags. Node.js 22 and later do not wait.
 */
export async function compileParserEagerly(nodeVersion: string): Promise<ConnectorWrapper> {
  if (Number.parseInt(nodeVersion, 10) >= 22) return (connect) => connect;
  const { setFlagsFromString } = await import('node:v8');
  let isCompiled = false;
  return (connect) => (target, callback) =>
    connect(target, (...result) => {
      const [error] = result;
      if (isCompiled || error) return callback(...result);
      isCompiled = true;
      for (const flag of compileFlags) setFlagsFromString(flag);
      try {
        callback(...result);
      } finally {
        for (const flag of defaultFlags) setFlagsFromString(flag);
      }
    });
}

const compileFlags = ['--liftoff-only', '--no-wasm-lazy-compilation'];

/** The defaults of Node.js 20. `--liftoff-only` also changes the two in the middle. */
const defaultFlags = [
  '--no-liftoff-only',
  '--wasm-tier-up',
  '--wasm-dynamic-tiering',
  '--wasm-lazy-compilation',
];
