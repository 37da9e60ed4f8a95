import { Option } from '@commander-js/extra-typings';
import packageJson from '../../package.json' with { type: 'json' };
import { countType, type NumberRange, type SettingType, secondsType } from '../config/setting-types.js';
import {
  type GlobalFlags,
  type SettingDefinition,
  type SettingKey,
  settingKeys,
  settingTable,
} from '../config/settings.js';
import { type Failure, usageError } from '../failure.js';
import { suggestSimilar } from '../format/suggest.js';
import { type AnyCommand, globalGroup, lineageOf } from './command-spec.js';

/** The flag of commands that can print their request. */
export const curlFlag = ['--curl', 'print the request as a curl command and send nothing'] as const;

/** Adds the global flags to a command that does not have them yet. */
export function addGlobalFlags(command: AnyCommand): void {
  if (commandsWithFlags.has(command)) return;
  commandsWithFlags.add(command);
  command.optionsGroup(globalGroup);
  for (const option of Object.values(globalOptions)) command.addOption(option);
  command.addHelpOption(helpOption).helpCommand(false);
  command.version(packageJson.version, '-V, --version', 'print the version');
}

const commandsWithFlags = new WeakSet<AnyCommand>();

/** True if the word after this command, in its parent's arguments, names a subcommand: then it needs no flags. */
export function namesSubcommand(command: AnyCommand, { args: [, next = '-'] }: AnyCommand): boolean {
  return command.commands.length > 0 && !next.startsWith('-');
}

/** Returns the global flags given anywhere on the command line; the last occurrence of a flag wins. */
export function collectGlobalFlags(leaf: AnyCommand): GlobalFlags {
  const given: Record<string, unknown> = {};
  for (const command of lineageOf(leaf)) {
    for (const [key, option] of Object.entries(globalOptions)) {
      const name = option.attributeName();
      if (command.getOptionValueSource(name) === 'cli') given[key] = command.getOptionValue(name);
    }
  }
  const { json, noColor: _color, ...flags } = given;
  if (json && flags.output !== undefined && flags.output !== 'json') {
    throw invalidFlag(`--json conflicts with --output ${flags.output}`, 'remove --output or --json');
  }
  if (flags.jq !== undefined && (flags.output ?? 'json') !== 'json') {
    throw invalidFlag(`--jq conflicts with --output ${flags.output}`, 'remove --output or --jq');
  }
  if (json || flags.jq !== undefined) flags.output = 'json';
  if (flags.color === false) flags.color = 'never';
  return flags as GlobalFlags;
}

/**
 * The global flags by their names in `GlobalFlags`, in the order of the help; the flags of settings that are not
 * listed come last. Commander changes only the group of an option, so all commands share these.
 */
const globalOptions: Record<string, Option> = {
  profile: settingOption('profile', anyText('profile')),
  baseUrl: new Option('--base-url <url>', "base URL to use instead of the profile's"),
  output: settingOption('output'),
  json: new Option('--json', 'print JSON; same as --output json'),
  jq: new Option('--jq <program>', 'filter the JSON output with a jq program'),
  fields: new Option('--fields <names>', 'columns or keys to print, such as id,name').argParser(
    Object.assign(parseFields, { completes: 'field' }),
  ),
  header: new Option('--no-header', 'omit the header row in table, csv and tsv'),
  input: new Option('--no-input', 'disable prompts; fail if input is missing'),
  yes: new Option('-y, --yes', 'answer yes to confirmations'),
  quiet: new Option('-q, --quiet', 'print only errors on stderr'),
  verbose: new Option(
    '-v, --verbose',
    'log requests and responses without secrets, and stack traces of unexpected errors',
  ),
  timeoutMs: settingOption('timeoutMs'),
  maxWaitMs: settingOption('maxWaitMs'),
  color: settingOption('color'),
  noColor: new Option('--no-color', 'same as --color never'),
};
for (const key of settingKeys) {
  const { flag }: SettingDefinition = settingTable[key];
  if (flag) globalOptions[key] ??= settingOption(key);
}

const helpOption = new Option('-h, --help', 'show this help');

/** Returns the option of a setting; values are checked by the type of the setting, unless `parse` is given. */
function settingOption(key: SettingKey, parse?: (text: string) => unknown): Option {
  const { name, type, flag, description, default: value }: SettingDefinition = settingTable[key];
  if (!flag) throw new Error(`the setting ${name} has no flag`);
  const option = new Option(flag, `${description} (default: ${type.show(value)})`);
  return option.required ? option.argParser(parse ?? settingParser(`--${name}`, type)) : option;
}

function settingParser(flag: string, type: SettingDefinition['type']) {
  if (type.choices) return choice(flag, type.choices);
  const parse = (text: string) => {
    const value = type.parse(text);
    if (value === undefined) throw invalidFlag(`${flag} must be ${type.rule}`);
    return value;
  };
  return Object.assign(parse, { range: type.range });
}

function parseFields(names: string): readonly string[] {
  // PowerShell may pass `id,name` as `id name`.
  const fields = names.trim().split(/\s*,\s*|\s+/);
  if (fields.includes(''))
    throw invalidFlag('--fields has an empty name', 'pass names separated by commas or spaces: --fields id,name');
  return fields;
}

/** How shells complete an argument or a flag's value: the choices, or a kind of value. */
export type Completes =
  | readonly string[]
  | 'command'
  | 'field'
  | 'file'
  | 'key-label'
  | 'profile'
  | 'setting'
  | 'setting-value';

/** What a parser knows about its values. */
interface ParserHints {
  readonly completes?: Completes;
  readonly repeats?: true;
  readonly range?: NumberRange | undefined;
  /** A prompt asks for the value; without a terminal it is required. */
  readonly isPrompted?: true;
}

/** Returns the hints that the functions below attach to the parser of an option or argument (Commander's `parseArg`). */
export function parserHints(declared: object | undefined): ParserHints {
  return (declared as { readonly parseArg?: ParserHints } | undefined)?.parseArg ?? {};
}

/** Returns a parser for one of a few words. It throws a usage error with a suggestion on any other word. */
export function choice<Choice extends string>(flag: string, choices: readonly Choice[]) {
  const parse = (text: string): Choice => {
    const chosen = choices.find((candidate) => candidate === text);
    if (chosen !== undefined) return chosen;
    const message = `${flag} must be one of ${choices.join(', ')}, not "${text}"`;
    throw invalidFlag(message, suggestSimilar(text, choices));
  };
  return Object.assign(parse, { completes: choices });
}

/** Returns a parser for any text, completed as `completes` says. */
export function anyText(completes: Completes) {
  return Object.assign((given: string) => given, { completes });
}

/** Marks the parser of a repeatable flag, which receives a text and the value so far. */
export function repeatable<Parse extends (text: string, before: never) => unknown>(parse: Parse) {
  return Object.assign(parse, { repeats: true });
}

/** Returns a parser for a whole number within bounds. It throws a usage error on anything else. */
export function wholeNumber(flag: string, minimum: number, maximum: number) {
  return numberParser(flag, countType(minimum, maximum));
}

/**
 * Returns a parser for a number of seconds, `minMs` or more, that returns milliseconds. It throws a usage error on
 * anything else. `rule` names the bounds in seconds: `from 1 to 86400`.
 */
export function seconds(flag: string, minMs: number, rule: string) {
  return numberParser(flag, secondsType(minMs, rule));
}

function numberParser(flag: string, { parse, rule, range }: SettingType<number>) {
  const parseNumber = (text: string): number => {
    const value = parse(text);
    if (value !== undefined) return value;
    throw invalidFlag(`${flag} must be ${rule}, not "${text}"`);
  };
  return Object.assign(parseNumber, { range });
}

/** Returns a parser that only trims. The action checks the integer: 64-bit integers are not JavaScript numbers. */
export function anyInteger(minimum?: number) {
  const range: NumberRange = { type: 'integer', ...(minimum !== undefined && { minimum }) };
  return Object.assign((text: string) => text.trim(), { range });
}

/** Marks the parser of an optional argument that a prompt asks for. */
export function prompted<Parse extends (text: string) => unknown>(parse: Parse) {
  return Object.assign(parse, { isPrompted: true });
}

/** Returns a parser for a repeatable flag or argument that collects texts. */
export function anyTexts(completes?: Completes) {
  const collect = (given: string, before: readonly string[] = []): readonly string[] => [...before, given];
  return Object.assign(repeatable(collect), { completes });
}

export function withDefault(option: { readonly description: string; readonly defaultValue?: unknown }): string {
  const { description, defaultValue } = option;
  const hasNoDefault = defaultValue === undefined || Array.isArray(defaultValue);
  return hasNoDefault ? description : `${description} (default: ${defaultValue})`;
}

export function invalidFlag(message: string, hint?: string): Failure {
  return usageError('invalid_flag', message, hint);
}
