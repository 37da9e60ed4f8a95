import { Worker } from 'node:worker_threads';
import { type Clock, withTimeout } from '../clock.js';
import { Failure, installOptionalHint, usageError } from '../failure.js';
import { escapeJson, isNestedDeeper } from './json.js';
import { toSafeText } from './safe-text.js';

interface JqOutputOptions {
  readonly forTerminal: boolean;
  readonly highlight?: ((json: string) => string) | undefined;
}

/** A compiled jq program on its own thread. */
export type JqRunner = Awaited<ReturnType<typeof openJqRunner>>;

/** Reply of bin/jq-worker.js. */
type JqReply = { readonly output: string } | { readonly message: string };

/** Limit for compiling a program and for each run. */
const timeoutMs = 5_000;

/** Beyond about 40 levels, the stack of jq-web overflows into its data, and results are wrong. */
const maxDepth = 32;

/**
 * Starts the script `thread` on a thread and compiles the program. Throws a usage failure for an invalid program, and a
 * system failure if jq is not installed.
 */
export async function openJqRunner(expression: string, thread: string, clock: Clock) {
  // jq computes operations on two literals while it compiles, without the prelude.
  if (/\d{16}/.test(expression) && /[-+*/%]/.test(expression)) {
    const message = 'the --jq program has an integer beyond 2^53 and an operator, and jq could round the integer';
    throw usageError('invalid_flag', message, 'compare or convert the integer in a program without + - * / and %');
  }
  // Isolates the program: no environment, no standard streams.
  const worker = new Worker(thread, { env: {}, execArgv: [], stdout: true, stderr: true });
  const run = async (document: string, toFailure: (message: string) => Failure): Promise<string> => {
    const request = new Promise<JqReply>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', (error: NodeJS.ErrnoException) => reject(toCrash(error)));
      worker.postMessage({ program: `${prelude}\n${expression}`, document });
    });
    const reply = await withTimeout(request, timeoutMs, clock, () => {
      throw toFailure(`the --jq program timed out after ${timeoutMs / 1000} seconds`);
    });
    if ('output' in reply) return reply.output;
    throw toFailure(cleanJqMessage(reply.message));
  };
  try {
    // Without a document, the thread only compiles the program.
    await run('', invalidProgram);
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    /** Runs the program on a JSON document and formats the results. Throws a system failure on an error or a timeout. */
    run: async (document: string, options: JqOutputOptions): Promise<string> => {
      checkDepth(document, 'the input');
      const output = await run(document, jqFailed);
      checkDepth(output, 'a result');
      return formatJqResults(output, options);
    },
    close: async () => void (await worker.terminate()),
  };
}

function checkDepth(text: string, subject: string): void {
  if (!isNestedDeeper(text, maxDepth)) return;
  throw jqFailed(`${subject} of the --jq program is nested deeper than ${maxDepth} levels`);
}

function invalidProgram(message: string): Failure {
  return usageError('invalid_flag', message, "check the program; a field starts with a dot, such as '.[].name'");
}

/** The command itself has run: repeating one that adds a pet would add another. */
function jqFailed(message: string): Failure {
  const hint = 'fix the --jq program, or pass --json instead; do not repeat a command that changed data';
  return new Failure('system', { code: 'jq_failed', message, hint });
}

/** Returns the failure for an error that the thread does not report itself. */
function toCrash({ code, message }: NodeJS.ErrnoException): Failure {
  if (code !== 'MODULE_NOT_FOUND') return jqFailed(`jq crashed: ${message}`);
  return new Failure('system', {
    code: 'missing_package',
    message: 'the optional package jq-web is not installed',
    hint: `${installOptionalHint}, or pipe the output of --json to jq`,
  });
}

/** Functions that map integers to integers, so that users expect exact results. */
const unaryFunctions = 'floor ceil round trunc fabs abs length sqrt nearbyint rint modf'.split(' ');
const binaryFunctions =
  'pow fmod drem remainder fmin fmax fdim ldexp scalb scalbln copysign nextafter nexttoward range'.split(' ');
const operators = { _plus: '+', _minus: '-', _multiply: '*', _divide: '/', _mod: '%' };

/**
 * Redefines arithmetic so that rounding an integer is an error. jq preserves and compares long integers exactly, but
 * computes with doubles. A definition before the expression also keeps it from loading modules, and from being parsed as an
 * option because of a leading hyphen.
 */
const prelude = [
  'def _petstore_exact: if type == "number" and (. > 9007199254740991 or . < -9007199254740991)',
  'and (tojson | test("^-?[0-9]+$")) then error("jq cannot do exact arithmetic with integers beyond',
  '9007199254740991; compare them, or convert them with tostring") else . end;',
  'def _petstore_negate: -.; def _negate: _petstore_exact | _petstore_negate;',
  ...unaryFunctions.map((name) => `def _petstore_${name}: ${name}; def ${name}: _petstore_exact | _petstore_${name};`),
  ...binaryFunctions.map((name) => redefine(name, ['a', 'b'], `${name}($a; $b)`)),
  ...Object.entries(operators).map(([name, operator]) => redefine(name, ['a', 'b'], `$a ${operator} $b`)),
  ...['fma', 'range'].map((name) => redefine(name, ['a', 'b', 'c'], `${name}($a; $b; $c)`)),
  'def add: reduce .[] as $x (null; . + $x);',
].join(' ');

/** Returns the definition of a function of jq that checks its arguments and its result. */
function redefine(name: string, parameters: readonly string[], original: string): string {
  const join = (toText: (parameter: string) => string) => parameters.map(toText).join('; ');
  // jq evaluates the right operand first.
  const bindings = parameters.map((each) => `${each} as $${each} |`).reverse();
  return [
    `def _petstore_${name}(${join((each) => `$${each}`)}): ${original};`,
    `def ${name}(${join((each) => each)}): ${bindings.join(' ')}`,
    `_petstore_${name}(${join((each) => `$${each} | _petstore_exact`)}) | _petstore_exact;`,
  ].join(' ');
}

/** Reduces an error message of jq to one line, without the place in the program: the prelude counts as a line of it. */
function cleanJqMessage(message: string): string {
  return message
    .replace(/\njq: \d+ compile errors?\s*$/, '')
    .replace(/(?: \(Unix shell quoting issues\?\))?(?: at <top-level>, line \d+(?=:))?/g, '')
    .replace(/^jq: error(?: \(at [^)]*\))?: (?:jq )?/, 'jq: ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Formats each result on a line: strings as raw text (escaped for a terminal), anything else as JSON. */
function formatJqResults(output: string, { forTerminal, highlight = (json) => json }: JqOutputOptions): string {
  const format = (line: string) => {
    if (!line.startsWith('"')) return highlight(escapeJson(line));
    const text = JSON.parse(line) as string;
    return forTerminal ? toSafeText(text, { multiline: true }) : text;
  };
  const lines = output.split('\n').filter((line) => line !== '');
  return lines.map((line) => `${format(line)}\n`).join('');
}
