import { getExitCode } from '../cli/exit-codes.js';
import { formatFailure, formatFailureJson, guessColor, guessFormat, toFailure } from '../cli/format-failure.js';
import { getSection, readConfigContent } from '../config/config-file.js';
import { readBooleanVariable } from '../config/environment.js';
import { resolvePaths } from '../config/paths.js';
import { catchFailure } from '../failure.js';
import { toSafeText } from '../format/safe-text.js';
import type { AppContext } from './context.js';
import type { Runtime } from './runtime.js';

/** Prints what a command threw, and resolves to the exit code. Without a context, the settings are guessed. */
export async function reportFailure(
  thrown: unknown,
  argv: readonly string[],
  runtime: Runtime,
  context: AppContext | undefined,
): Promise<number> {
  const { stdout, stderr, createStyle } = runtime.terminal;
  const { env, clock, platform } = runtime;
  const failure = toFailure(thrown);
  const settings = context?.settings;
  const isDebugged = () => argv.includes('--debug') || readBooleanVariable(env, 'PETSTORE_DEBUG') === true;
  if (settings?.debug || catchFailure(isDebugged)) {
    await stderr.write(toSafeText(stackOf(failure), { multiline: true }));
  }
  const format = settings?.output ?? guessFormat(argv, env.PETSTORE_OUTPUT);
  // `--jq` chooses JSON for its input; a person reads its output.
  const isText = format === 'table' || (stdout.isTerminal && argv.some((word) => /^--jq(?:=|$)/.test(word)));
  const style = await createStyle('stderr', settings?.color ?? guessColor(argv, readSavedColor(runtime)));
  const layout = { style, now: clock.now(), width: stderr.columns, platform };
  await stderr.write(isText ? formatFailure(failure, layout) : formatFailureJson(failure, argv, platform));
  return getExitCode(failure);
}

/** Returns the saved color mode; undefined without a readable configuration. */
function readSavedColor({ env, home, platform }: Runtime): unknown {
  return catchFailure(() => {
    const { config } = resolvePaths(env, home, platform);
    return getSection(readConfigContent(config), 'settings').color;
  });
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return `${error.stack}\n${stackOf(error.cause)}`;
}
