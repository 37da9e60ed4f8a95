import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { keyHelp } from '../src/commands/pets/browse/keys.js';
import { readDocs } from './support/docs.js';

const pages = readDocs();

describe.each([...pages])('%s', (path, text) => {
  const prose = text.replaceAll(/^( *)```[a-z]*\n.*?^\1```$/gms, '');

  test('links to files and headings that exist', () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const broken = links.filter((target) => !/^https:\/\//.test(target) && !isValidLink(path, target));
    expect(broken).toEqual([]);
  });

  test('names files that exist', () => {
    const names = [...prose.matchAll(/`((?:src|test|docs|bin|bench|man|completions|\.ci|\.github)\/[^`\s…*<>]*)`/g)];
    expect(names.map(([, name = '']) => name).filter((name) => !existsSync(name))).toEqual([]);
  });

  test('names npm scripts that exist', () => {
    const names = [...text.matchAll(/\bnpm run (?:-s |--silent )?([a-z:]+)/g)].map(([, name = '']) => name);
    expect(names.filter((name) => !Object.hasOwn(packageJson.scripts, name))).toEqual([]);
  });
});

test('README.md links to every page of the docs', () => {
  const readme = pages.get('README.md') ?? '';
  const missing = [...pages.keys()].filter((path) => path !== 'README.md' && !readme.includes(`](${path}`));
  expect(missing).toEqual([]);
});

test('the package contains what README.md links to', () => {
  const readme = pages.get('README.md') ?? '';
  const targets = [...readme.matchAll(/\]\(([^)#\s:]+)[^)\s:]*\)/g)].map(([, target = '']) => target);
  const included = [...packageJson.files, 'LICENSE'].map((glob) => glob.replace('*', ''));
  const isIncluded = (target: string) =>
    included.some((entry) => target === entry || (entry.includes('/.') && target.startsWith(dirname(entry))));
  expect(targets.filter((target) => !isIncluded(target))).toEqual([]);
});

test('docs/terminal.md lists the keys of pets browse', () => {
  const rows = keyHelp.map(([key, meaning]) => `| ${key} | ${meaning} |\n`);
  expect(pages.get('docs/terminal.md')).toContain(`\n${rows.join('')}\n`);
});

function isValidLink(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : normalize(join(dirname(from), file));
  if (!existsSync(path)) return false;
  return anchor === undefined || (path.endsWith('.md') && headingAnchors(readFileSync(path, 'utf8')).includes(anchor));
}

/** Returns the anchors that GitHub makes of the headings. */
function headingAnchors(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
