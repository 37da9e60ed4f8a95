import { readdirSync, readFileSync } from 'node:fs';

const topLevel = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'SKILL.md'];

/** Returns the text of every Markdown page by its path. */
export function readDocs(): ReadonlyMap<string, string> {
  const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  return new Map([...topLevel, ...pages.sort()].map((path) => [path, readFileSync(path, 'utf8')]));
}

/** Returns the lines of each fenced block of a language: sh, console, json, … */
export function findBlocks(text: string, language: string): readonly (readonly string[])[] {
  return [...text.matchAll(fence)]
    .filter(([, , found]) => found === language)
    .map(([, , , body = '']) => body.split('\n').slice(0, -1));
}

/** Returns the text with the body of each console block replaced by `replace`. */
export async function replaceConsoleBlocks(text: string, replace: (body: string) => Promise<string>): Promise<string> {
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(fence)) {
    const [whole, indent = '', language = '', body = ''] = match;
    if (language !== 'console') continue;
    const start = match.index + indent.length + '```console\n'.length;
    parts.push(text.slice(end, start), await replace(body));
    end = match.index + whole.length - indent.length - '```'.length;
  }
  return [...parts, text.slice(end)].join('');
}

const fence = /^( *)```([a-z]+)\n(.*?)^\1```$/gms;
