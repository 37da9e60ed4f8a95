import { expect, test } from 'vitest';
import { autoAdvancingClock } from './support/clock.js';
import { buildCalls, type Call, type DescribedCommand, type ProgramDescription } from './support/generic-program.js';
import type { Run } from './support/petstore.js';
import { createFastTestCli, type TestCli } from './support/test-cli.js';
import { interrupt } from './support/test-client.js';

/** Commands that need more than a program finds in `help --json`: a terminal, an API key, a profile of the user. */
const needMore = ['pets browse', 'auth login'];

/** The codes of errors that a program avoids if the description of the commands is complete. */
const syntaxErrors = ['unknown_command', 'unknown_option', 'invalid_argument'];

test('a program that knows only help --json calls every command', { timeout: 120_000 }, async () => {
  const clock = autoAdvancingClock();
  const cli = createFastTestCli({ clock });
  const program: ProgramDescription = JSON.parse((await cli.run(['help', '--json'])).stdout);
  const calls = buildCalls(program, cli.home);
  const succeeded = new Set<DescribedCommand>();
  const problems: string[] = [];
  const performAll = async (selected: readonly Call[], format: string) => {
    for (const call of selected) {
      // The sandbox limits the requests of a minute.
      clock.advance(61_000);
      const chosenFormat = call.isEndless ? 'ndjson' : format;
      const run = await perform(cli, call, chosenFormat);
      if (run.exitCode === 0) succeeded.add(call.command);
      const problem = findProblem(run);
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

async function perform(cli: TestCli, { command, args, isEndless }: Call, format: string): Promise<Run> {
  const line = [...args, '--output', format, '--yes'];
  if (!isEndless) return cli.run(line);
  // `--watch` prints nothing before a change.
  const until = command.path === 'serve' ? {} : { until: new Promise<void>((resolve) => setTimeout(resolve, 300)) };
  const { end } = await cli.start(line, until);
  return end(interrupt);
}

/** Returns the problem of a failed run, if the description of the command is its cause. */
function findProblem({ stderr, exitCode }: Run): string | undefined {
  if (exitCode === 0) return undefined;
  const { code } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
  return syntaxErrors.includes(code) ? `is not a valid call: ${code}` : undefined;
}
