import { exitCodes, failureExitCodes } from '../cli/exit-codes.js';
import { variables } from '../config/environment.js';
import { type SettingDefinition, settingDefinitions } from '../config/settings.js';
import { doctorErrorCodes, generalErrorCodes, importErrorCodes, requestErrorCodes } from '../error-codes.js';
import { databaseErrorCodes, serveErrorCodes } from '../server-error-codes.js';
import { type ArgumentOutline, type CommandOutline, type FlagOutline, flattenOutline, isRunnable } from './outline.js';
import { errorCodeRows } from './topic-pages.js';

/** The keys of a command in `help --json`. */
export const commandKeys = [
  ...['path', 'summary', 'aliases', 'arguments', 'flags', 'writes', 'runsUntilCanceled', 'examples'],
  ...['exitCodes', 'errorCodes', 'schema'],
];

/**
 * Returns what `help --json` prints about the commands below `outline`, itself included. `hasSchema` returns whether the
 * command prints JSON.
 */
export function describeCommands(outline: CommandOutline, hasSchema: (words: readonly string[]) => boolean) {
  return flattenOutline(outline)
    .filter(isRunnable)
    .map((each) => describeCommand(each, { hasSchema: hasSchema(each.words) }));
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

function describeCommand(outline: CommandOutline, { hasSchema }: { readonly hasSchema: boolean }) {
  const { words, summary, flags, examples, traits = [] } = outline;
  const path = words.slice(1).join(' ');
  const runsUntilCanceled = traits.includes('runs-until-canceled');
  const isWatch = ({ names }: FlagOutline) => runsUntilCanceled && names.includes('--watch');
  return {
    path,
    summary,
    aliases: outline.aliases,
    arguments: outline.arguments.map(describeArgument),
    flags: flags.map((flag) => ({ ...describeFlag(flag), ...(isWatch(flag) && { runsUntilCanceled }) })),
    writes: traits.includes('writes'),
    runsUntilCanceled: runsUntilCanceled && !flags.some(isWatch),
    examples: examples.map(([command, description]) => ({ command, description })),
    exitCodes: listExitCodes(outline),
    errorCodes: listErrorCodes(outline),
    ...(hasSchema && { schema: `petstore help schema ${path}` }),
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
  const variable = flag.variable ?? setting?.variable?.name ?? variables.find((each) => each.flag === name)?.name;
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
    ...(variable && { variable: variable.name }),
    perProfile: isPerProfile,
  };
}

function longName({ flag }: SettingDefinition): string | undefined {
  return /--[a-z-]+/.exec(flag?.syntax ?? '')?.[0];
}

function serializeDefault({ type, default: value }: SettingDefinition) {
  return type.serialize(value);
}

function listExitCodes({ words, traits = [] }: CommandOutline): readonly number[] {
  const sendsRequests = traits.includes('sends-requests');
  const { auth, partial, system, usage, 'unknown-outcome': unknownOutcome, ...requestCodes } = failureExitCodes;
  const possibleCodes = [
    ...[system, usage],
    ...(sendsRequests || words[1] === 'auth' ? [auth] : []),
    ...(sendsRequests ? Object.values(requestCodes) : []),
    ...(sendsRequests && traits.includes('writes') ? [unknownOutcome] : []),
    ...(traits.includes('can-be-partial') ? [partial] : []),
  ].map(({ code }) => code);
  const isFailure = (code: number) => Object.values(failureExitCodes).some((each) => each.code === code);
  return exitCodes.map(({ code }) => code).filter((code) => possibleCodes.includes(code) || !isFailure(code));
}

/** Returns petstore's codes; a service may send others. */
function listErrorCodes({ words: [, group, name], traits = [] }: CommandOutline): readonly string[] {
  const sendsRequests = traits.includes('sends-requests');
  const hasServer = group === 'serve' || group === 'sandbox';
  return Object.keys({
    ...generalErrorCodes,
    ...(name === 'import' && importErrorCodes),
    ...(sendsRequests && requestErrorCodes),
    ...((sendsRequests || hasServer) && databaseErrorCodes),
    ...(hasServer && serveErrorCodes),
    ...(group === 'doctor' && doctorErrorCodes),
  });
}
