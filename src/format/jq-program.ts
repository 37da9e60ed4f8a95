import { escapeJson } from './json.js';
import { toSafeText } from './safe-text.js';

/** Functions that map integers to integers, so that users expect exact results. */
const integerFunctions = 'floor ceil round trunc fabs abs length sqrt nearbyint rint modf'.split(' ');
const binaryFunctions = 'pow fmod drem remainder fmin fmax fdim ldexp scalb scalbln copysign'.split(' ');

/**
 * Redefines arithmetic so that rounding an integer is an error. jq preserves and compares long integers exactly, but
 * computes with doubles. The prelude is one line, so that line numbers in the errors of jq are off by exactly one.
 */
const prelude = [
  'def _petstore_exact: if type == "number" and (. > 9007199254740991 or . < -9007199254740991)',
  'and (tojson | test("^-?[0-9]+$")) then error("jq cannot do exact arithmetic with integers beyond',
  '9007199254740991; compare them, or convert them with tostring") else . end;',
  ...[
    ['plus', '+'],
    ['minus', '-'],
    ['multiply', '*'],
    ['divide', '/'],
    ['mod', '%'],
  ].flatMap(([name, operator]) => [
    `def _petstore_${name}($a; $b): $a ${operator} $b;`,
    // jq evaluates the right operand first.
    `def _${name}(a; b): b as $b | a as $a |`,
    `_petstore_${name}($a | _petstore_exact; $b | _petstore_exact) | _petstore_exact;`,
  ]),
  'def _petstore_negate: -.; def _negate: _petstore_exact | _petstore_negate;',
  ...integerFunctions.map(
    (name) => `def _petstore_${name}: ${name}; def ${name}: _petstore_exact | _petstore_${name};`,
  ),
  ...binaryFunctions.flatMap((name) => [
    `def _petstore_${name}($a; $b): ${name}($a; $b);`,
    `def ${name}(a; b): b as $b | a as $a | _petstore_${name}($a | _petstore_exact; $b | _petstore_exact);`,
  ]),
  'def _petstore_fma($a; $b; $c): fma($a; $b; $c); def fma(a; b; c): c as $c | b as $b | a as $a |',
  '_petstore_fma($a | _petstore_exact; $b | _petstore_exact; $c | _petstore_exact);',
  'def add: reduce .[] as $x (null; . + $x);',
].join(' ');

/**
 * Returns the program for an expression and the document that it filters. It never starts with a hyphen, which jq would
 * parse as an option. Without long integers in the expression or document, no id can be rounded. The prelude is then
 * left out, because it makes arithmetic up to fifteen times slower.
 */
export function buildJqProgram(expression: string, document: string): string {
  const needsPrelude = longInteger.test(expression) || longInteger.test(document);
  // A definition in the first line keeps the expression from loading modules.
  return `${needsPrelude ? prelude : 'def _petstore: .;'}\n${expression}`;
}

const longInteger = /\d{16}/;

/** Reduces an error message of jq to one line and corrects it for the prelude. */
export function cleanJqMessage(message: string): string {
  return message
    .replace(/\njq: \d+ compile errors?\s*$/, '')
    .replace(/ \(Unix shell quoting issues\?\)/, '')
    .replace(/^jq: error(?: \(at [^)]*\))?: (?:jq )?/, 'jq: ')
    .replace(/\bline (\d+):/g, (_, line: string) => `line ${Math.max(1, Number(line) - 1)}:`)
    .replace(/\s+/g, ' ')
    .trim();
}

export interface JqOutputOptions {
  readonly forTerminal: boolean;
  readonly highlight?: ((json: string) => string) | undefined;
}

/** Formats each result on a line: strings as raw text (escaped for a terminal), anything else as JSON. */
export function formatJqResults(output: string, { forTerminal, highlight = (json) => json }: JqOutputOptions): string {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      if (!line.startsWith('"')) return `${highlight(escapeJson(line))}\n`;
      const text = JSON.parse(line) as string;
      // The result of `@tsv` has tabs.
      const safe = () =>
        text
          .split('\t')
          .map((part) => toSafeText(part, { multiline: true }))
          .join('\t');
      return `${forTerminal ? safe() : text}\n`;
    })
    .join('');
}

/** Returns an integer beyond 2^53 that is in the output but not in the input, so jq may have rounded it. */
export function findRoundedNumber(output: string, input: string): string | undefined {
  if (!/\d{16}/.test(output)) return undefined;
  let known: ReadonlySet<string> | undefined;
  for (const [token] of output.matchAll(stringOrNumber)) {
    if (!/^-?\d{16,}$/.test(token) || Number.isSafeInteger(Number(token))) continue;
    known ??= new Set(input.match(/-?\d{16,}/g));
    if (!known.has(token)) return token;
  }
  return undefined;
}

const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
