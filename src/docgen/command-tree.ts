import { exitCodes } from '../cli/exit-codes.js';
import { variables } from '../config/environment.js';
import { type SettingDefinition, settingDefinitions } from '../config/settings.js';
import { type ArgumentOutline, type CommandOutline, type FlagOutline, flattenOutline, isRunnable } from './outline.js';
import { errorCodeRows } from './topic-pages.js';

/** Returns what `help --json` prints about the commands below `outline`, itself included. */
export function describeCommands(outline: CommandOutline) {
  return flattenOutline(outline)
    .filter(isRunnable)
    .map(({ words, summary, arguments: given, flags, writes = false, examples, output = [] }) => ({
      path: words.slice(1).join(' '),
      summary,
      arguments: given.map(describeArgument),
      flags: flags.map(describeFlag),
      writes,
      examples: examples.map(([command, description]) => ({ command, description })),
      output: output.map(({ key, type, optional = false }) => ({ name: key, type, optional })),
    }));
}

/** Returns what `help --json` prints beside the commands. */
export function describeProgram(root: CommandOutline) {
  return {
    globalFlags: root.flags.map(describeFlag),
    settings: settingDefinitions.map(describeSetting),
    exitCodes,
    errorCodes: errorCodeRows,
  };
}

function describeArgument(argument: ArgumentOutline) {
  const { name, description, isRequired, isRepeatable } = argument;
  return { name, description, required: isRequired, repeatable: isRepeatable, ...describeValue(argument) };
}

function describeFlag(flag: FlagOutline) {
  const { names, value, description, isRepeatable, defaultValue } = flag;
  const name = names.at(-1) as string;
  const setting = settingDefinitions.find((each) => longName(each) === name);
  const variable = flag.variable ?? setting?.variable ?? variables.find((each) => each.flag === name)?.name;
  const isSwitch = value === undefined;
  const isDefaultKnown = typeof defaultValue === 'string' || typeof defaultValue === 'number';
  return {
    name,
    ...(names.length > 1 && { short: names[0] }),
    description,
    ...(isSwitch ? { type: 'boolean' } : describeValue(flag)),
    ...(value?.startsWith('[') && { optionalValue: true }),
    ...(setting && !isSwitch && { default: serializeDefault(setting) }),
    ...(isDefaultKnown && { default: defaultValue }),
    ...(variable !== undefined && { variable }),
    repeatable: isRepeatable,
  };
}

/** Returns the type of a value, which is a kind of value such as `file` if there is no better type, and its bounds. */
function describeValue({ completes, range }: ArgumentOutline | FlagOutline) {
  if (range) return range;
  if (typeof completes === 'string') return { type: completes };
  if (completes) return { type: 'string', choices: completes };
  return { type: 'string' };
}

function describeSetting(setting: SettingDefinition) {
  const { name, description, type, variable, isPerProfile = false } = setting;
  const value = serializeDefault(setting);
  const flag = longName(setting);
  return {
    name,
    description,
    type: typeof value,
    ...type.range,
    ...(type.choices && typeof value === 'string' && { choices: type.choices }),
    default: value,
    ...(flag !== undefined && { flag }),
    ...(variable && { variable }),
    perProfile: isPerProfile,
  };
}

function longName({ flag }: SettingDefinition): string | undefined {
  return /--[a-z-]+/.exec(flag ?? '')?.[0];
}

function serializeDefault({ type, default: value }: SettingDefinition) {
  return type.show(value);
}
