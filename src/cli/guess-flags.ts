import { type ColorMode, type GlobalFlags, settingTable } from '../config/settings.js';
import { type OutputFormat, outputFormats } from '../format/output-format.js';

/** Returns the flags that determine how an error is printed, if Commander cannot parse the command line. */
export function guessFlags(argv: readonly string[]): GlobalFlags {
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
  const profile = valuesOf(words, '--profile', '-p').at(-1);
  const output = words.some((word) => /^--j(?:son$|q(?:=|$))/.test(word))
    ? 'json'
    : findChoice<OutputFormat>(valuesOf(words, '--output', '-o'), outputFormats);
  const color = words.includes('--no-color')
    ? 'never'
    : findChoice<ColorMode>(valuesOf(words, '--color'), settingTable.color.type.choices);
  return {
    ...(profile && { profile }),
    ...(output && { output }),
    ...(color && { color }),
    ...(words.includes('--debug') && { debug: true }),
  };
}

function findChoice<Choice>(values: readonly string[], choices: readonly unknown[] = []): Choice | undefined {
  return values.findLast((value) => choices.includes(value)) as Choice | undefined;
}

/** Returns the values of a flag: `--flag value`, `--flag=value`, and `-fvalue`. */
function valuesOf(words: readonly string[], long: string, short = long): readonly string[] {
  return words.flatMap((word, index) => {
    if (word === long || word === short) return words[index + 1] ?? [];
    if (word.startsWith(`${long}=`)) return word.slice(long.length + 1);
    return word.startsWith(short) && !short.startsWith('--') ? word.slice(short.length) : [];
  });
}
