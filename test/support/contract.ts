import type { Environment } from '../../src/config/environment.js';
import type { Run } from './petstore.js';

/**
 * Throws if a run breaks what petstore promises to programs: JSON and NDJSON with the fields that `help --json` lists,
 * error objects with the exit code of the process, and a `next` whose commands can be run. Loads nothing
 * unless the run prints JSON.
 */
export async function checkContract(args: readonly string[], env: Environment, run: Run): Promise<void> {
  const mayPrintJson = args.some((word) => /^(?:-\w*o|--j|--output)/.test(word)) || env.PETSTORE_OUTPUT !== undefined;
  if (!mayPrintJson && !args.includes('export')) return;
  const { findViolations } = await import('./find-violations.js');
  const violations = await findViolations(args, env, run);
  if (violations.length === 0) return;
  throw new Error(
    `petstore ${args.join(' ')} violates its contract:\n${violations.join('\n')}\n${run.stdout.slice(0, 2_000)}${run.stderr}`,
  );
}
