import { execFileSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { errorSchema } from '../../src/cli/error-schema.js';
import { createProgram, parseArguments } from '../../src/cli/program.js';
import { parseLine } from '../../src/commands/complete/line.js';
import { commandGroups } from '../../src/commands/index.js';
import { findFields, findSchema } from '../../src/commands/schemas.js';
import type { Environment } from '../../src/config/environment.js';
import { describeCommands, describeProgram } from '../../src/docgen/command-tree.js';
import { errorCodes } from '../../src/error-codes.js';
import type { JsonSchema } from '../../src/format/json-schema.js';
import { outlineAllCommands } from '../../src/generate.js';
import type { Run } from './petstore.js';

const root = outlineAllCommands();
const described = new Map(describeCommands(root, () => true).map((command) => [command.path, command]));
const { globalFlags } = describeProgram(root);
const ajv = addFormats.default(new Ajv2020({ allErrors: true, allowUnionTypes: true }));

/** Returns the violations of the promises to programs in a run. */
export async function findViolations(args: readonly string[], env: Environment, run: Run): Promise<readonly string[]> {
  const line = parseLine(args, root);
  const findValue = (name: string) => [...(line?.flagValues ?? [])].find(([{ names }]) => names.includes(name))?.[1];
  const has = (name: string) => findValue(name) !== undefined;
  if (['--help', '--version'].some(has)) return [];
  const words = line?.command.words ?? [];
  const format =
    has('--json') || has('--jq')
      ? 'json'
      : (findValue('--output') ?? env.PETSTORE_OUTPUT ?? (words[2] === 'export' ? 'ndjson' : 'table'));
  if (!/^(?:json|ndjson|yaml|csv|tsv)$/.test(format)) return [];
  const isJson = format.endsWith('json') && !['--jq', '--curl', '-i'].some(has);
  const operand = line?.operands[0];
  // `--json=x` does not choose JSON, and an export without a format has none for errors.
  const mustExplain = findValue('--json') === '' || has('--output') || env.PETSTORE_OUTPUT !== undefined;
  return [
    ...(run.exitCode && mustExplain && !has('--jq') ? await findErrorViolations(words, run) : []),
    ...(isJson && operand !== 'schema' ? findOutputViolations(words, format, findValue('--fields'), run) : []),
  ];
}

function findOutputViolations(
  words: readonly string[],
  format: string,
  fields: string | undefined,
  { stdout, stderr, exitCode }: Run,
): readonly string[] {
  const text = stripVTControlCharacters(stdout);
  // The service violates the API spec, and a warning says so.
  if (text.trim() === '' || stderr.includes('the response has no valid ')) return [];
  const schema = findSchema(words);
  const documents =
    format === 'json'
      ? [text]
      : text
          .slice(0, text.lastIndexOf('\n') + 1)
          .split('\n')
          .filter(Boolean);
  return documents.flatMap((document) => {
    const parsed = tryParse(document);
    if (!parsed) return exitCode === undefined || !schema || words[1] === 'api' ? [] : ['stdout is not JSON'];
    if (!schema) return [`${words.join(' ')} prints JSON but has no schema`];
    if (fields !== undefined) return findUnknownFields(parsed.value, words);
    return validate(format === 'json' ? schema : toEventSchema(schema), parsed.value);
  });
}

function findUnknownFields(value: unknown, words: readonly string[]): readonly string[] {
  const known = findFields(words);
  const records = (Array.isArray(value) ? value : [value]).flatMap((record) => [record, record?.pet ?? {}]);
  if (known.length === 0) return [];
  const unknown = records.flatMap((record) => Object.keys(record)).filter((key) => !known.includes(key));
  return unknown.length === 0 ? [] : [`--fields selects ${unknown.join(', ')}, which the schema does not have`];
}

interface PrintedError {
  readonly code: string;
  readonly exitCode: number;
  readonly missing?: readonly { readonly flag?: string; readonly argument?: string }[];
  readonly next?: readonly string[];
}

async function findErrorViolations(words: readonly string[], { stderr, exitCode }: Run): Promise<readonly string[]> {
  const last = stripVTControlCharacters(stderr).trimEnd().split('\n').at(-1) ?? '';
  const parsed = tryParse(last);
  // A second Ctrl-C ends the process at once.
  if (!parsed && exitCode === 130) return [];
  if (!parsed) return ['the last line on stderr is no error object'];
  const invalid = validate(errorSchema, parsed.value);
  if (invalid.length > 0) return invalid;
  const { error } = parsed.value as { readonly error: PrintedError };
  const command = described.get(words.slice(1).join(' '));
  const known = [...(command?.flags ?? []), ...(command?.arguments ?? []), ...globalFlags].map(({ name }) => name);
  const missing = (error.missing ?? []).map(({ flag, argument }) => flag ?? argument ?? '');
  const isUnlisted = command && Object.hasOwn(errorCodes, error.code) && !command.errorCodes.includes(error.code);
  return [
    ...(error.exitCode === exitCode ? [] : [`exitCode is ${error.exitCode}, but the process exits with ${exitCode}`]),
    ...missing
      .filter((name) => command && !known.includes(name))
      .map((name) => `help --json does not list ${name}, which is missing`),
    ...(isUnlisted ? [`help --json does not list the error code ${error.code}`] : []),
    ...(command && !command.exitCodes.includes(exitCode as number)
      ? [`help --json does not list exit code ${exitCode}`]
      : []),
    ...(await Promise.all((error.next ?? []).map(findCommandViolations))).flat(),
  ];
}

/** Reads a command of `next` as a POSIX shell and petstore do, without running it. */
async function findCommandViolations(line: string): Promise<readonly string[]> {
  try {
    const script = `petstore() { printf '%s\\0' "$@"; }\n${line}`;
    const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const words = printed.split('\0').slice(0, -1);
    const program = createProgram({ groups: commandGroups, firstArgument: words[0], write: () => {}, width: 80 });
    await parseArguments(program, words);
    return words.length > 0 ? [] : [`next has "${line}", which does not call petstore`];
  } catch (error) {
    return [`next has "${line}", which cannot be run: ${(error as Error).message}`];
  }
}

/** Returns the schema of one line of NDJSON. */
function toEventSchema(schema: JsonSchema): JsonSchema {
  const { event } = (schema.$defs ?? {}) as { readonly event?: JsonSchema };
  return event ? { $ref: '#/$defs/event', $defs: schema.$defs } : schema;
}

function validate(schema: JsonSchema, value: unknown): readonly string[] {
  const check = compile(schema);
  check(value);
  return (check.errors ?? []).map(({ instancePath, message, params }: ErrorObject) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
}

const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

function compile(schema: JsonSchema) {
  const text = JSON.stringify(schema);
  const check = compiled.get(text) ?? ajv.compile(schema);
  compiled.set(text, check);
  return check;
}

function tryParse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
