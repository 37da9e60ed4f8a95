import { parseArgs } from 'node:util';
import { getExitCode } from '../cli/exit-codes.js';
import { formatFailure, formatFailureJson, toFailure } from '../cli/format-failure.js';
import { colorModes, type GlobalFlags, getTargetFlags, type Settings } from '../config/settings.js';
import { Failure } from '../failure.js';
import { outputFormats } from '../format/output-format.js';
import { toSafeText } from '../format/safe-text.js';
import { readSettings } from './configuration.js';
import type { Runtime } from './runtime.js';

/** Prints what a command threw, and resolves to the exit code. Unknown settings are guessed. */
export async function reportFailure(
  thrown: unknown,
  argv: readonly string[],
  runtime: Runtime,
  opened: { readonly settings: Settings; readonly flags: GlobalFlags } | undefined,
): Promise<number> {
  const { stdout, stderr, createStyle } = runtime.terminal;
  const failure = toFailure(thrown);
  const { verbose, output, color } = opened?.settings ?? readSettings(guessFlags(argv), runtime).settings;
  if (verbose && !(thrown instanceof Failure)) await stderr.write(toSafeText(stackOf(thrown), { multiline: true }));
  // `--jq` chooses JSON for its input; a person reads its output.
  const isText = output === 'table' || (stdout.isTerminal && argv.some((word) => /^--jq(?:=|$)/.test(word)));
  const style = await createStyle('stderr', color);
  const layout = { style, now: runtime.clock.now(), width: stderr.columns };
  const targetFlags = opened ? getTargetFlags(opened.settings, opened.flags) : [];
  await stderr.write(isText ? formatFailure(failure, layout) : formatFailureJson(failure, { argv, targetFlags }));
  return getExitCode(failure);
}

/** Returns the flags that choose the format and the color of an error. Invalid values count as missing. */
function guessFlags(argv: readonly string[]): GlobalFlags {
  const { values } = parseArgs({
    args: [...argv],
    strict: false,
    options: {
      color: { type: 'string' },
      jq: { type: 'string' },
      json: { type: 'boolean' },
      'no-color': { type: 'boolean' },
      output: { type: 'string', short: 'o' },
      profile: { type: 'string', short: 'p' },
      verbose: { type: 'boolean', short: 'v' },
    },
  });
  const { jq, json, profile, verbose } = values;
  const color = values['no-color'] ? 'never' : colorModes.find((mode) => mode === values.color);
  const output = json || jq !== undefined ? 'json' : outputFormats.find((format) => format === values.output);
  return {
    ...(typeof profile === 'string' && { profile }),
    ...(output && { output }),
    ...(color && { color }),
    ...(verbose && { verbose: true }),
  };
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return `${error.stack}\n${stackOf(error.cause)}`;
}
