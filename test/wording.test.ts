import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Phrases that read as translated. The style guide lists what to write instead. */
const oddPhrases: readonly RegExp[] = [
  /\bmend(s|ed|ing)?\b/i,
  /\banew\b/i,
  /\bwhoever\b/i,
  /\bgo(es)? on\b/i,
  /\bgo(es)? its way\b/i,
  /\bleads? (here|to)\b/i,
  /(?<!there )\bis (no|none)\b(?! longer| more)/i,
  /\bthat (is|are) none\b/i,
  /\ball else\b/i,
  /\bshall\b/i,
  /\btold\b/i,
  /\btells?\b/i,
  /\bfor who\b/i,
  /\bwho (asks|types|reads|writes|uses|reaches|watches|comes|hears|quits|sends|has)\b/i,
  /\bnothing of\b/i,
  /\bwhat (is|was|came|lies|follows|goes|stands|cannot|may|holds) (?!the |a |an |this |that |petstore)/i,
  /\bnow and then\b/i,
  /\bthen and there\b/i,
  /\bof (its|their|our) own\b/i,
  /\bforg[eo]t(s|ten)?\b/i,
  /\bin order\b(?! to)/i,
  /\bat hand\b/i,
  /\bas it (was|is|comes|stands)\b/i,
  /\bonce more\b/i,
  /\bthat is meant\b/i,
  /\bnobody\b/i,
  /\bsomebody\b/i,
  /\bas they come\b/i,
  /\bcannot agree\b/i,
  /\bput(s)? off\b/i,
  /\bstand(s)? (there|here|once|apart|for)\b/i,
  /\bin words\b/i,
  /\bkeeps? nothing\b/i,
  // British spellings. Error codes and package names stay as they are.
  /\b(?:colour|behaviour|licen[c]e|cancell(?:ed|ing|s)|unrecognised)\b(?!['`_:\\])/i,
];

const pages = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'openapi.yaml'],
  ...filesBelow('docs', /\.md$/),
  ...filesBelow('man', /\.\d$/),
  ...filesBelow('completions', /./),
];

test.each(pages)('%s has no odd phrases', (path) => {
  expect(findOddLines(readFileSync(path, 'utf8').split('\n'))).toEqual([]);
});

test('the texts in the source have no odd phrases', () => {
  const odd = filesBelow('src', /\.ts$/).flatMap((path) => {
    const lines = readFileSync(path, 'utf8').split('\n').filter(hasText);
    return findOddLines(lines).map((line) => `${path}: ${line}`);
  });
  expect(odd).toEqual([]);
});

test('the check finds odd phrases in Markdown and in code', () => {
  expect(findOddLines(['Mend the file.', 'Fix the file.', 'The colour'])).toEqual(['Mend the file.', 'The colour']);
  expect(["notice('mend the file')", '// mend the file', "import { x } from 'node:fs';"].filter(hasText)).toEqual([
    "notice('mend the file')",
  ]);
});

/** Returns whether a line of code has a string of several words. Comments have other readers. */
function hasText(line: string): boolean {
  return /(['"`])(?:(?!\1).)* (?:(?!\1).)*\1/.test(line) && !/^\s*(\/\/|\/?\*)/.test(line);
}

function findOddLines(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => oddPhrases.some((phrase) => phrase.test(line))).map((line) => line.trim());
}

function filesBelow(folder: string, names: RegExp): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
