import type { AppContext } from '../app/context.js';
import { formatProblem } from '../format/hint.js';

/** Warns of the problems of the configuration, for a command that works in spite of them. */
export function warnOfProblems({ config, terminal }: AppContext): void {
  for (const problem of config.problems) terminal.warn(formatProblem(problem));
}

/** Warns if the environment selects another profile than `name`, the saved one. */
export function warnIfOverridden({ runtime, terminal }: AppContext, name: string): void {
  const selected = runtime.env.PETSTORE_PROFILE;
  if (!selected || selected === name) return;
  terminal.warn(`PETSTORE_PROFILE still selects profile ${selected}; change or unset it to use ${name}`);
}
