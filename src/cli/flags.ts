import { type Command, Option } from '@commander-js/extra-typings';
import packageJson from '../../package.json' with { type: 'json' };
import { colorModes, type GlobalFlags } from '../config/settings.js';
import { parseSecondsToMs } from '../format/duration.js';
import { outputFormats } from '../format/output-format.js';
import type { AnyCommand } from './command-spec.js';
import { anyText, choice, curlFlag, globalGroup, invalidFlag } from './flag-parsers.js';

/** Adds the global flags to a command that does not have them yet. */
export function addGlobalFlags(command: AnyCommand): void {
  if (commandsWithFlags.has(command)) return;
  commandsWithFlags.add(command);
  command.optionsGroup(globalGroup);
  for (const option of globalOptions) command.addOption(option);
  command.addHelpOption(helpOption).helpCommand(false);
  command.version(packageJson.version, '-V, --version', 'print the version');
}

const commandsWithFlags = new WeakSet<AnyCommand>();

/** True if the word after this command, in its parent's arguments, names a subcommand: then it needs no flags. */
export function namesSubcommand(
  command: AnyCommand,
  { args: [, next = '-'] }: AnyCommand,
): boolean {
  return command.commands.length > 0 && !next.startsWith('-');
}

/** The global flags as given anywhere on the line; where one was given twice, the later word holds. */
export function collectGlobalFlags(leaf: AnyCommand): GlobalFlags {
  const given: Record<string, unknown> = {};
  for (const command of lineage(leaf)) {
    for (const name of names) {
      if (command.getOptionValueSource(name) === 'cli') given[name] = command.getOptionValue(name);
    }
  }
  const { json, ...flags } = given;
  if (json && flags.output !== undefined && flags.output !== 'json') {
    throw invalidFlag(`--json and --output ${flags.output} contradict each other`);
  }
  if (flags.jq !== undefined && (flags.output ?? 'json') !== 'json') {
    throw invalidFlag(`--jq is for JSON, and --output ${flags.output} contradicts it`);
  }
  if (json || flags.jq !== undefined) flags.output = 'json';
  if (flags.color === false) flags.color = 'never';
  return flags as GlobalFlags;
}

type Parse = (text: string) => unknown;

const fieldsParser = Object.assign(parseFields, { completes: 'field' });

const globalFlags: readonly (readonly [flags: string, description: string, parse?: Parse])[] = [
  ['-p, --profile <name>', 'environment to use', anyText('profile')],
  ['--base-url <url>', "service to use in place of the profile's", String],
  ['-o, --output <format>', outputFormats.join(', '), choice('--output', outputFormats)],
  ['--json', 'the same as --output json'],
  ['--jq <program>', 'filter the JSON with a jq program', String],
  ['--fields <names>', 'keys to show and their order, such as id,name', fieldsParser],
  ['--no-header', 'no header row in table, csv and tsv'],
  ['--no-input', 'never ask; fail and name the flag that answers'],
  ['-y, --yes', 'answer confirmations with yes'],
  ['-q, --quiet', 'no quota line, notices, warnings or progress'],
  ['-v, --verbose', 'show each request and answer on stderr, without secrets'],
  ['--debug', 'show stack traces too'],
  [
    '--timeout <seconds>',
    'one deadline for each request, its body included (default: 30)',
    parseTimeout,
  ],
  ['--max-wait <seconds>', 'longest wait for the quota; 0 never waits (default: 60)', parseMaxWait],
  ['--color <mode>', colorModes.join(', '), choice('--color', colorModes)],
  ['--no-color', 'the same as --color never'],
];

/** Made once for all commands: Commander writes nothing into an option but its group, which is the same for all. */
const globalOptions = globalFlags.map(([flags, description, parse]) => {
  const option = new Option(flags, description);
  return parse ? option.argParser(parse) : option;
});

const helpOption = new Option('-h, --help', 'show this help');

const names = [...globalOptions, new Option(...curlFlag)].map((option) => option.attributeName());

function parseFields(names: string): readonly string[] {
  const fields = names.split(',').map((field) => field.trim());
  if (fields.includes(''))
    throw invalidFlag('--fields takes names with a comma between them: id,name');
  return fields;
}

function parseTimeout(given: string): number {
  const milliseconds = parseSecondsToMs(given);
  if (milliseconds !== undefined && milliseconds >= 1) return milliseconds;
  throw invalidFlag('--timeout must be seconds, more than 0 and at most 86400');
}

function parseMaxWait(given: string): number {
  const milliseconds = parseSecondsToMs(given);
  if (milliseconds !== undefined) return milliseconds;
  throw invalidFlag('--max-wait must be seconds, from 0 to 86400');
}

function lineage(leaf: AnyCommand): readonly AnyCommand[] {
  const above = (leaf as Command).parent as AnyCommand | null;
  return above ? [...lineage(above), leaf] : [leaf];
}
