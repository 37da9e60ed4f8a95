import type { Option } from '@commander-js/extra-typings';
import type { Environment } from '../config/environment.js';
import { Failure, usageError } from '../failure.js';
import { type AnyCommand, variableOf } from './command-spec.js';
import { parserHints } from './flags.js';

/** Returns the variables of the flags of every command in a program whose commands are all declared. */
export function listFlagVariables(program: AnyCommand): readonly string[] {
  const visit = (command: AnyCommand): readonly string[] => [
    ...command.options.flatMap((option) => variableOf(command, option) ?? []),
    ...command.commands.flatMap((child) => visit(child as AnyCommand)),
  ];
  return [...new Set(visit(program))];
}

/**
 * Sets the flags that are not on the command line from their variables. Commander's own `Option.env()` reads the
 * environment of the process, and sets the flags of a parent, too. Throws a usage error that names the variable if a value is
 * invalid.
 */
export function readFlagVariables(command: AnyCommand, env: Environment): void {
  for (const option of command.options) {
    const name = variableOf(command, option);
    const text = name && env[name];
    if (!name || !text || command.getOptionValueSource(option.attributeName()) === 'cli') continue;
    command.setOptionValueWithSource(option.attributeName(), parseValue(option, text, name), 'env');
  }
}

function parseValue(option: Option, text: string, name: string): unknown {
  const { parseArg } = option as { readonly parseArg?: (text: string, before: unknown) => unknown };
  if (!parseArg) return text;
  try {
    const items = parserHints(option).repeats ? text.split(',').map((item) => item.trim()) : [text];
    return items.reduce<unknown>((before, item) => parseArg(item, before), undefined);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { message, hint } = error.details;
    throw usageError('invalid_setting', `the environment variable ${name} is invalid: ${message}`, hint);
  }
}
