import { escapeJson } from './json.js';
import { toSafeText } from './safe-text.js';

/** What makes whole numbers of whole numbers, and so is taken to be exact. */
const integerFunctions = 'floor ceil round trunc fabs abs length sqrt nearbyint rint modf'.split(
  ' ',
);
const binaryFunctions = 'pow fmod drem remainder fmin fmax fdim ldexp scalb scalbln copysign'.split(
  ' ',
);

/**
 * jq compares whole numbers of any length exactly and passes them on digit by digit, but computes with doubles. So
 * its operators, and what else ids are likely to meet, are defined anew here: what would be rounded is an error. In
 * one line, so that jq's own words name the next one.
 */
const prelude = [
  'def _petstore_exact: if type == "number" and (. > 9007199254740991 or . < -9007199254740991)',
  'and (tojson | test("^-?[0-9]+$")) then error("jq would round a whole number beyond 9007199254740991 here;',
  'it can be compared, and tostring makes text of it") else . end;',
  ...[
    ['plus', '+'],
    ['minus', '-'],
    ['multiply', '*'],
    ['divide', '/'],
    ['mod', '%'],
  ].flatMap(([name, operator]) => [
    `def _petstore_${name}($a; $b): $a ${operator} $b;`,
    // jq goes through the right side first.
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

/** In characters; some more would write past the end of jq's stack. */
export const maxExpressionLength = 8_192;

/** The whole program for an expression; it never begins with a hyphen, which jq would take for an option. */
export function buildJqProgram(expression: string): string {
  return `${prelude}\n${expression}`;
}

/** What jq says of an error, in one line, as of the expression alone. */
export function cleanJqMessage(words: string): string {
  return words
    .replace(/\njq: \d+ compile errors?\s*$/, '')
    .replace(/ \(Unix shell quoting issues\?\)/, '')
    .replace(/^jq: error \(at [^)]*\)/, 'jq: error')
    .replace(/\bline (\d+):/g, (_, line: string) => `line ${Math.max(1, Number(line) - 1)}:`)
    .replace(/\s+/g, ' ')
    .trim();
}

/** Results as they are written: strings as they are, or shown for a terminal, all else as JSON. */
export function formatJqResults(output: string, { forTerminal }: { forTerminal: boolean }): string {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      if (!line.startsWith('"')) return `${escapeJson(line)}\n`;
      const text = JSON.parse(line) as string;
      return `${forTerminal ? toSafeText(text, { multiline: true }) : text}\n`;
    })
    .join('');
}

/** A whole number among the results that jq has computed and may have rounded: one that stood nowhere before. */
export function findRoundedNumber(output: string, before: string): string | undefined {
  if (!/\d{16}/.test(output)) return undefined;
  let known: ReadonlySet<string> | undefined;
  for (const [token] of output.matchAll(stringOrNumber)) {
    if (!/^-?\d{16,}$/.test(token) || Number.isSafeInteger(Number(token))) continue;
    known ??= new Set(before.match(/-?\d{16,}/g));
    if (!known.has(token)) return token;
  }
  return undefined;
}

const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
