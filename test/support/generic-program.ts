/** A program that knows only `help --json` of petstore. It calls each command as in the examples, and with each flag. */

interface Value {
  readonly name: string;
  readonly type: string;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly default?: string | number | boolean;
}

interface Argument extends Value {
  readonly required: boolean;
}

interface Flag extends Value {
  readonly short?: string;
  readonly optionalValue?: true;
}

interface Setting extends Value {
  readonly flag?: string;
}

export interface DescribedCommand {
  readonly path: string;
  readonly arguments: readonly Argument[];
  readonly flags: readonly Flag[];
  readonly examples: readonly { readonly command: string }[];
}

export interface ProgramDescription {
  readonly commands: readonly DescribedCommand[];
  readonly globalFlags: readonly Flag[];
  readonly settings: readonly Setting[];
}

export interface Call {
  readonly command: DescribedCommand;
  readonly args: readonly string[];
  /** Runs until a signal. */
  readonly isEndless: boolean;
}

/** A command line of an example, in parts. */
interface ParsedExample {
  readonly operands: readonly string[];
  readonly flags: readonly (readonly [Flag, string | undefined])[];
}

/** Returns the calls of all commands. Files are in `folder`. */
export function buildCalls(program: ProgramDescription, folder: string): readonly Call[] {
  return program.commands.flatMap((command) => {
    const examples = command.examples.flatMap(({ command: line }) => parseExample(line, command, program) ?? []);
    const base = chooseBase(command, examples, program);
    const needsNothing = command.arguments.every(({ required }) => !required) && command.path !== 'serve';
    const parsed = [
      ...(examples.length > 0 ? examples : [base]),
      ...(needsNothing ? [{ operands: [], flags: [] }] : []),
      ...command.flags.map((flag) => ({
        operands: base.operands,
        flags: [...base.flags.filter(([other]) => other.name !== flag.name), withValue(flag, examples)],
      })),
    ];
    return parsed.map((each) => toCall(command, each, folder));
  });
}

/** Returns the call that each flag is added to: an example for programs, another example, or the required arguments. */
function chooseBase(
  command: DescribedCommand,
  examples: readonly ParsedExample[],
  program: ProgramDescription,
): ParsedExample {
  const printsJson = examples.find(({ flags }) => flags.some(([{ name }]) => name === '--json'));
  const [first] = examples;
  if (printsJson ?? first) return (printsJson ?? first) as ParsedExample;
  const operands: string[] = [];
  for (const argument of command.arguments.filter(({ required }) => required)) {
    operands.push(inventValue(argument, operands, program));
  }
  return { operands, flags: [] };
}

function withValue(flag: Flag, examples: readonly ParsedExample[]): readonly [Flag, string | undefined] {
  const known = examples.flatMap(({ flags }) => flags).find(([{ name }]) => name === flag.name);
  if (known) return known;
  return [flag, flag.type === 'boolean' || flag.optionalValue ? undefined : inventValue(flag)];
}

function inventValue(
  { type, choices, minimum, default: standard }: Value,
  operands: readonly string[] = [],
  program?: ProgramDescription,
): string {
  const setting = program?.settings.find(({ name }) => name === operands.at(-1));
  const candidates: Readonly<Record<string, unknown>> = {
    setting: program?.settings[0]?.name,
    'setting-value': setting?.choices?.[0] ?? setting?.default,
    profile: program?.globalFlags.find((flag) => flag.type === 'profile')?.default,
    command: program?.commands[0]?.path,
    file: 'file.json',
  };
  return String(choices?.[0] ?? candidates[type] ?? standard ?? minimum ?? 1);
}

/** The caller adds its own. */
const formatFlags = ['--json', '--output', '--jq'];

function toCall(command: DescribedCommand, { operands, flags }: ParsedExample, folder: string): Call {
  const place = (type: string | undefined, value: string) =>
    // The caller asks for JSON.
    type === 'file' && /^\w/.test(value) ? `${folder}/${value.replace(/\.csv$/, '.json')}` : value;
  const flagWords = flags.flatMap(([flag, value]) => {
    if (formatFlags.includes(flag.name)) return [];
    if (value === undefined) return [flag.name];
    const text = place(flag.type, value);
    return flag.optionalValue ? [`${flag.name}=${text}`] : [flag.name, text];
  });
  const last = command.arguments.at(-1);
  const operandWords = operands.map((value, index) => place((command.arguments[index] ?? last)?.type, value));
  return {
    command,
    args: [...command.path.split(' '), ...operandWords, ...flagWords],
    isEndless: command.path === 'serve' || flags.some(([flag]) => flag.name === '--watch'),
  };
}

/** Parses the first command of an example; returns undefined if the shell passes something to it. */
function parseExample(
  line: string,
  command: DescribedCommand,
  { commands, globalFlags }: ProgramDescription,
): ParsedExample | undefined {
  const words = splitWords(line);
  const end = words.findIndex((word) => /^[|<>;]/.test(word));
  const own = end === -1 ? words : words.slice(0, end);
  const called = commands
    .filter(({ path }) => `${own.join(' ')} `.startsWith(`petstore ${path} `))
    .sort((one, other) => other.path.length - one.path.length)[0];
  if (called !== command || words[end] === '<') return undefined;
  const operands: string[] = [];
  const flags: [Flag, string | undefined][] = [];
  const rest = own.slice(1 + command.path.split(' ').length);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [name, value] = word.startsWith('--') ? word.split('=', 2) : [word];
    const flag = [...command.flags, ...globalFlags].find((each) => each.name === name || each.short === name);
    if (!flag) operands.push(word);
    else if (flag.type === 'boolean' || flag.optionalValue) flags.push([flag, value]);
    else flags.push([flag, value ?? rest.shift()]);
  }
  return { operands, flags };
}

/** Splits a command line of a POSIX shell without expansions. */
function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/['"]/g, ''));
}
