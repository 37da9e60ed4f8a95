import { execFileSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import type { OutputField } from '../../src/cli/command-spec.js';
import { createProgram, parseArguments } from '../../src/cli/program.js';
import { parseLine } from '../../src/commands/completion/complete.js';
import { petstore } from '../../src/commands/index.js';
import type { Environment } from '../../src/config/environment.js';
import { describeCommands, describeProgram } from '../../src/docgen/command-tree.js';
import { flattenOutline } from '../../src/docgen/outline.js';
import { outlineAllCommands } from '../../src/generate.js';
import type { Run } from './petstore.js';

const root = outlineAllCommands();
const described = new Map(describeCommands(root).map((command) => [command.path, command]));
const { globalFlags } = describeProgram(root);

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
  // `--json=x` does not choose JSON, and an export without a format has none for errors.
  const mustExplain = findValue('--json') === '' || has('--output') || env.PETSTORE_OUTPUT !== undefined;
  return [
    ...(run.exitCode && mustExplain && !has('--jq') ? await findErrorViolations(words, run) : []),
    // Each line of a watch is a change, and each line of help a command.
    ...(isJson && !has('--watch') && !(words[1] === 'help' && format === 'ndjson')
      ? findOutputViolations(words, format, has('--fields'), run)
      : []),
  ];
}

function findOutputViolations(
  words: readonly string[],
  format: string,
  hasFields: boolean,
  { stdout, stderr, exitCode }: Run,
): readonly string[] {
  const text = stripVTControlCharacters(stdout);
  // The service violates the API spec, and a warning says so.
  if (text.trim() === '' || stderr.includes('the response has no valid ')) return [];
  const path = words.slice(1).join(' ');
  const output = flattenOutline(root).find((outline) => outline.words.join(' ') === words.join(' '))?.output;
  const documents =
    format === 'json'
      ? [text]
      : text
          .slice(0, text.lastIndexOf('\n') + 1)
          .split('\n')
          .filter(Boolean);
  return documents.flatMap((document) => {
    const parsed = tryParse(document);
    if (!parsed) return exitCode === undefined || !output || path === 'api' ? [] : ['stdout is not JSON'];
    if (!output) return [`${words.join(' ')} prints JSON but lists no fields`];
    if (output.length === 0) return [];
    const listed =
      path === 'help' && !hasFields ? (parsed.value as { readonly commands: unknown }).commands : parsed.value;
    const records = Array.isArray(listed) ? listed : [listed];
    // A service may send more than the API spec describes.
    const isOpen = path.startsWith('pets ') && path !== 'pets import' && !hasFields;
    return records.flatMap((record) => checkRecord(record, output, { isOpen, isPart: hasFields }));
  });
}

/** Returns how a record differs from its fields. An open one may have others, and a part may lack some. */
function checkRecord(
  record: Readonly<Record<string, unknown>>,
  fields: readonly OutputField[],
  { isOpen = false, isPart = false } = {},
): readonly string[] {
  const names = fields.map(({ key }) => key);
  const unknown = isOpen ? [] : Object.keys(record).filter((name) => !names.includes(name));
  return [
    ...unknown.map((name) => `the field ${name} is not listed`),
    ...fields.flatMap(({ key: name, type, optional }) => {
      if (record[name] === undefined) return optional || isPart ? [] : [`the field ${name} is missing`];
      const types = type.split(' | ');
      const actual = typeOf(record[name]);
      const isValid = types.includes(actual) || (actual === 'integer' && types.includes('number'));
      return isValid ? [] : [`the field ${name} is not of the type ${type}`];
    }),
  ];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The fields of the error object. */
const errorFields: readonly OutputField[] = [
  { key: 'code', type: 'string' },
  { key: 'message', type: 'string' },
  { key: 'hint', type: 'string', optional: true },
  { key: 'status', type: 'integer', optional: true },
  { key: 'exitCode', type: 'integer' },
  { key: 'retryAt', type: 'string', optional: true },
  { key: 'missing', type: 'array', optional: true },
  { key: 'next', type: 'array', optional: true },
];

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
  const { error } = (parsed?.value ?? {}) as { readonly error?: PrintedError };
  if (!error) return ['the last line on stderr is no error object'];
  const invalid = checkRecord({ ...error }, errorFields);
  if (invalid.length > 0) return invalid;
  const command = described.get(words.slice(1).join(' '));
  const known = [...(command?.flags ?? []), ...(command?.arguments ?? []), ...globalFlags].map(({ name }) => name);
  const missing = (error.missing ?? []).map(({ flag, argument }) => flag ?? argument ?? '');
  return [
    ...(error.exitCode === exitCode ? [] : [`exitCode is ${error.exitCode}, but the process exits with ${exitCode}`]),
    ...missing
      .filter((name) => command && !known.includes(name))
      .map((name) => `help --json does not list ${name}, which is missing`),
    ...(await Promise.all((error.next ?? []).map(findCommandViolations))).flat(),
  ];
}

/** Reads a command of `next` as a POSIX shell and petstore do, without running it. */
async function findCommandViolations(line: string): Promise<readonly string[]> {
  try {
    const script = `petstore() { printf '%s\\0' "$@"; }\n${line}`;
    const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const words = printed.split('\0').slice(0, -1);
    const program = createProgram(petstore, { firstArgument: words[0], write: () => {}, width: 80 });
    await parseArguments(program, words);
    return words.length > 0 ? [] : [`next has "${line}", which does not call petstore`];
  } catch (error) {
    return [`next has "${line}", which cannot be run: ${(error as Error).message}`];
  }
}

function tryParse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
