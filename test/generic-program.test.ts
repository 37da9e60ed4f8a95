import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { autoAdvancingClock } from './support/clock.js';
import { buildCalls, type Call, type DescribedCommand, type ProgramDescription } from './support/generic-program.js';
import { interrupt } from './support/interrupt.js';
import type { Run } from './support/petstore.js';
import { createFastTestCli, type TestCli } from './support/test-cli.js';

/** Commands that need more than a program finds in `help --json`: a terminal, an API key, a profile of the user. */
const needMore = ['pets browse', 'auth login', 'profile rename'];

/** The codes of errors that a program avoids if the description of the commands is complete. */
const syntaxErrors = [
  ...['unknown_command', 'unknown_option', 'unknown_field'],
  ...['missing_argument', 'excess_arguments', 'option_missing_argument'],
];

test('a program that knows only help --json and help schema calls every command', { timeout: 120_000 }, async () => {
  const clock = autoAdvancingClock();
  const cli = createFastTestCli({ clock });
  const program: ProgramDescription = JSON.parse((await cli.run(['help', '--json'])).stdout);
  const calls = buildCalls(program, cli.home);
  const findProblem = openContract(cli);
  const succeeded = new Set<DescribedCommand>();
  const problems: string[] = [];
  const performAll = async (selected: readonly Call[], format: string) => {
    for (const call of selected) {
      // The sandbox limits the requests of a minute.
      clock.advance(61_000);
      const chosenFormat = call.isEndless ? 'ndjson' : format;
      const run = await perform(cli, call, chosenFormat);
      if (run.exitCode === 0) succeeded.add(call.command);
      const problem = await findProblem(call, run, chosenFormat);
      if (problem) problems.push(`petstore ${call.args.join(' ')}: ${problem}\n${run.stdout}${run.stderr}`);
    }
  };
  await performAll(calls, 'json');
  // Some calls need what later ones create, such as a file to import.
  const failed = calls.filter(({ command }) => !succeeded.has(command));
  await performAll(failed, 'ndjson');
  expect(problems).toEqual([]);
  const failing = program.commands.filter((command) => !succeeded.has(command)).map(({ path }) => path);
  expect(failing).toEqual(needMore);
});

/** Flags that print something else than the JSON of the command, or a part of it. */
const textFlags = ['--curl', '-i', '--fields'];

async function perform(cli: TestCli, { command, args, isEndless }: Call, format: string): Promise<Run> {
  const line = [...args, '--output', format, '--yes'];
  if (!isEndless) return cli.run(line);
  // `--watch` prints nothing before a change.
  const until = command.runsUntilCanceled ? {} : { until: new Promise<void>((resolve) => setTimeout(resolve, 300)) };
  const { end } = await cli.start(line, until);
  return end(interrupt);
}

/** Returns a check of runs against `help --json` and the printed schemas. It returns the problem, if any. */
function openContract(cli: TestCli) {
  const ajv = addFormats.default(new Ajv2020({ allowUnionTypes: true }));
  const validators = new Map<string, ValidateFunction>();
  const openSchema = async (line: string, format = 'json') => {
    const known = validators.get(line + format);
    if (known) return known;
    const { $defs = {}, ...document } = JSON.parse((await cli.run(line.split(' ').slice(1))).stdout);
    const isLine = format === 'ndjson' && $defs.event;
    const validator = ajv.compile(isLine ? { $defs, $ref: '#/$defs/event' } : { $defs, ...document });
    validators.set(line + format, validator);
    return validator;
  };
  return async ({ command, args }: Call, { stdout, stderr, exitCode }: Run, format: string) => {
    const { exitCodes, errorCodes, schema } = command;
    if (!exitCodes.includes(exitCode ?? 0)) return `exits with ${exitCode}`;
    if (exitCode !== 0) {
      const isError = await openSchema('petstore help schema error');
      const printed: unknown = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
      if (!isError(printed)) return ajv.errorsText(isError.errors);
      const { code } = (printed as { readonly error: { readonly code: string } }).error;
      if (!errorCodes.includes(code)) return `fails with ${code}`;
      if (syntaxErrors.includes(code)) return `is not a valid call: ${code}`;
    }
    if (!schema || stdout === '' || args.some((word) => textFlags.includes(word))) return undefined;
    const isValid = await openSchema(schema, format);
    const values = format === 'ndjson' ? stdout.trimEnd().split('\n') : [stdout];
    return values.every((value) => isValid(JSON.parse(value))) ? undefined : ajv.errorsText(isValid.errors);
  };
}
