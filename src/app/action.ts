import type { CommandResult } from '../cli/command-result.js';
import { type AnyCommand, detailsOf, rootOf } from '../cli/command-spec.js';
import type { AppContext } from './context.js';
import type { Runtime } from './runtime.js';

/** The work of a command. Resolves to its result, which is printed last, or prints what it has to print. */
export type Action<Parameters extends unknown[]> = (
  context: AppContext,
  ...parameters: Parameters
) => Promise<CommandResult> | Promise<void>;

/** Runs what a command line selected, after Commander has parsed the whole line. `open` opens the context of a command. */
export type Invocation = (runtime: Runtime, open: (command: AnyCommand) => Promise<AppContext>) => Promise<void>;

/** A handler for Commander, which passes the arguments, then the flags, then the command. */
type Handler<Parameters extends unknown[]> = (...parameters: [...Parameters, unknown]) => void;

/** Returns a handler that records an action. `load` imports it when it runs. The action needs a valid configuration. */
export function action<Parameters extends unknown[]>(load: () => Promise<Action<Parameters>>): Handler<Parameters> {
  return tolerantAction(async () => {
    const work = await load();
    return (context: AppContext, ...parameters: Parameters) => {
      const [problem] = context.config.problems;
      if (problem) throw problem;
      return work(context, ...parameters);
    };
  });
}

/** Returns a handler like `action`, for an action that examines the problems of the configuration itself. */
export function tolerantAction<Parameters extends unknown[]>(
  load: () => Promise<Action<Parameters>>,
): Handler<Parameters> {
  return (...values) => {
    const command = values.at(-1) as AnyCommand;
    invocations.set(rootOf(command), async ({ env }, open) => {
      const context = await open(command);
      const work = await load();
      if (detailsOf(command).variables) {
        const { readFlagVariables } = await import('../cli/flag-variables.js');
        readFlagVariables(command, env);
      }
      const result = await work(context, ...([...values.slice(0, -2), command.opts()] as Parameters));
      if (result) await context.print(result);
    });
  };
}

/** Returns a handler for text that needs neither settings nor network. */
export function textAction<Parameters extends unknown[]>(
  text: (runtime: Runtime, program: AnyCommand, ...parameters: Parameters) => Promise<string>,
): Handler<Parameters> {
  return (...values) => {
    const program = rootOf(values.at(-1) as AnyCommand);
    const parameters = values.slice(0, -1) as Parameters;
    invocations.set(program, async (runtime) =>
      runtime.terminal.stdout.write(await text(runtime, program, ...parameters)),
    );
  };
}

/** Returns what the parsed command line selected, if anything. */
export function invocationOf(program: AnyCommand): Invocation | undefined {
  return invocations.get(program);
}

const invocations = new WeakMap<AnyCommand, Invocation>();
