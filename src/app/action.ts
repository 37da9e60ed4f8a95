import type { CommandResult } from '../cli/command-result.js';
import { type AnyCommand, manualOf, rootOf } from '../cli/command-spec.js';
import type { AppContext } from './context.js';
import type { Runtime } from './runtime.js';

/** The work of a command. Resolves to its result, if any, which is printed last. */
export type Action<Parameters extends unknown[]> = (
  context: AppContext,
  ...parameters: Parameters
) => Promise<CommandResult> | Promise<void>;

export interface ActionOptions {
  /** Runs even if the configuration is broken, for commands that examine or fix it. */
  readonly toleratesBrokenConfig?: boolean;
  /** Changes the configuration, so that a file that cannot be read stops the command before anything else. */
  readonly changesConfig?: boolean;
  /** Prints the problems of the configuration itself. Otherwise, they are warnings. */
  readonly reportsProblems?: boolean;
  /** Prints `config.warnings` itself, for example to its own log. */
  readonly printsWarnings?: boolean;
  /** Accepts the name of a new profile. */
  readonly createsProfile?: boolean;
}

/** The command that a command line selected. It runs after Commander has parsed the whole line. */
export type Invocation =
  | {
      /** The selected command, with its parsed flags. */
      readonly command: AnyCommand;
      readonly options: ActionOptions;
      /** Loads and runs the action with the parsed arguments and flags, and prints its result. */
      readonly run: (context: AppContext) => Promise<void>;
    }
  /** Returns text that needs no context. */
  | { readonly text: (runtime: Runtime) => Promise<string> };

/** Returns a handler for Commander that records the invocation. `load` imports the action when it runs. */
export function action<Parameters extends unknown[]>(
  load: () => Promise<Action<Parameters>>,
  options: ActionOptions = {},
): (...parameters: [...Parameters, unknown]) => void {
  // Commander passes the arguments, then the flags, then the command.
  return (...values) => {
    const command = values.at(-1) as AnyCommand;
    const run = async (context: AppContext) => {
      const work = await load();
      if (manualOf(command).variables) {
        const { readFlagVariables } = await import('../cli/flag-variables.js');
        readFlagVariables(command, context.runtime.env);
      }
      const result = await work(context, ...([...values.slice(0, -2), command.opts()] as Parameters));
      if (result) await context.print(result);
    };
    invocations.set(rootOf(command), { command, options, run });
  };
}

/** Returns a handler like `action`, for text that needs neither settings nor network. */
export function textAction<Parameters extends unknown[]>(
  text: (runtime: Runtime, program: AnyCommand, ...parameters: Parameters) => Promise<string>,
): (...parameters: [...Parameters, unknown]) => void {
  return (...values) => {
    const program = rootOf(values.at(-1) as AnyCommand);
    const parameters = values.slice(0, -1) as Parameters;
    invocations.set(program, { text: (runtime) => text(runtime, program, ...parameters) });
  };
}

/** Returns the command that the parsed command line selected, if any. */
export function invocationOf(program: AnyCommand): Invocation | undefined {
  return invocations.get(program);
}

const invocations = new WeakMap<AnyCommand, Invocation>();
