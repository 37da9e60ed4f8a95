import type { AppContext } from '../app/context.js';
import { formatProblem } from '../format/hint.js';

/** Warns of the problems of the configuration, for a command that works in spite of them. */
export function warnOfProblems({ config, terminal }: AppContext): void {
  for (const problem of config.problems) terminal.warn(formatProblem(problem));
}
