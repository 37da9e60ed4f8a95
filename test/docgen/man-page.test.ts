import { execa } from 'execa';
import { expect, test } from 'vitest';
import { resolvePaths } from '../../src/config/paths.js';
import { formatPlainPage } from '../../src/docgen/format-plain-page.js';
import { formatRoff } from '../../src/docgen/format-roff.js';
import { buildCommandPage, notes } from '../../src/docgen/man-page.js';
import { flattenOutline } from '../../src/docgen/outline.js';
import { topicNames } from '../../src/docgen/topics.js';
import { generateFiles, outlineAllCommands } from '../../src/generate.js';
import { isInstalled } from '../support/programs.js';

const pages = [...generateFiles('1.2.3', new Map())].filter(([path]) => path.startsWith('man/'));

test.skipIf(!isInstalled('mandoc'))('mandoc reports no problems (needs mandoc)', async () => {
  for (const [path, text] of pages) {
    const { all } = await execa('mandoc', ['-T', 'lint', '-W', 'style'], {
      input: text,
      reject: false,
      all: true,
    });
    expect(all, path).toBe('');
  }
});

test.skipIf(!isInstalled('groff'))('groff reports no problems (needs groff)', async () => {
  const files = pages.map(([path]) => path);
  const { all } = await execa('groff', ['-man', '-ww', '-z', ...files], { all: true });
  expect(all).toBe('');
});

test.each(pages)('%s has every section', (path, text) => {
  const sections = ['NAME', 'DESCRIPTION'];
  const commandSections = ['SYNOPSIS', 'EXAMPLES', 'SEE ALSO'];
  const expected = path.endsWith('.1') ? [...sections, ...commandSections] : sections;
  for (const section of expected) {
    expect(text).toContain(`\n.SH ${section}\n`);
  }
});

test('every reference names an existing page', () => {
  const names = new Set(pages.map(([path]) => path.split('/').at(-1)));
  let references = 0;
  for (const [path, text] of pages) {
    for (const [, name = '', section] of text.matchAll(/(petstore[a-z\\-]*)\((\d)\)/g)) {
      references += 1;
      expect(names, path).toContain(`${name.replaceAll('\\', '')}.${section}`);
    }
  }
  expect(references).toBeGreaterThan(pages.length);
});

test('the manual lists the actual paths', () => {
  const paths = resolvePaths({}, '~', 'linux');
  const [, page = ''] = pages.find(([path]) => path.endsWith('/petstore.1')) ?? [];
  const text = page.replaceAll('\\(ti', '~');
  for (const path of Object.values(paths)) expect(text).toContain(path);
});

test('troff requests in text are escaped', () => {
  const page = {
    name: 'petstore-x',
    section: 7,
    summary: ".so 'quoted' \\fBback\\slash",
    parts: [
      {
        title: 'Description',
        blocks: [
          { kind: 'text', text: ".de first word. 'second sentence `a-b .c`. Code stays whole: `key: value. end`" },
          { kind: 'usage', line: 'petstore x <a-b> [flags]' },
          { kind: 'example', line: '.x \'a\' "b" \\n ~ ^ -- `c`', caption: 'strange' },
          { kind: 'list', items: [{ term: '-X, --x-y <n>', text: "'tis" }] },
        ],
      },
    ],
  } as const;
  expect(formatRoff(page, '1.2.3')).toMatchInlineSnapshot(`
    ".\\" petstore-x.7 is generated from the command tree: npm run generate
    .TH "PETSTORE\\-X" "7" "2026-11-23" "petstore 1.2.3" "petstore manual"
    .nh
    .ad l
    .SH NAME
    petstore\\-x \\- .so 'quoted' \\efBback\\eslash
    .SH DESCRIPTION
    \\&.de first word.
    \\&'second sentence \\fBa\\-b .c\\fR.
    Code stays whole:
    \\fBkey: value. end\\fR
    \\fBpetstore x\\fR \\fI<a\\-b>\\fR \\fI[flags]\\fR
    .PP
    strange:
    .PP
    .RS 4
    .nf
    $ .x \\(aqa\\(aq \\(dqb\\(dq \\en \\(ti \\(ha \\-\\- \\(gac\\(ga
    .fi
    .RE
    .TP
    \\fB\\-X\\fR, \\fB\\-\\-x\\-y\\fR \\fI<n>\\fR
    \\&'tis
    "
  `);
});

test('every note belongs to a command or a topic', () => {
  const commands = flattenOutline(outlineAllCommands()).map(({ words }) => words.join(' '));
  expect([...commands, ...topicNames]).toEqual(expect.arrayContaining([...notes.keys()]));
});

test('a plain page fits the width without breaking long words', () => {
  const root = {
    words: ['petstore'],
    summary: 'A client.',
    aliases: [],
    examples: [],
    arguments: [],
  };
  const page = buildCommandPage({ ...root, flags: [], commands: [] }, { ...root, flags: [], commands: [] });
  const text = formatPlainPage(page, 40);
  const long = text.split('\n').filter((line) => line.length > 40 && line.trim().includes('  '));
  expect(long).toEqual([]);
  expect(text).toContain('petstore-environment(7),');
  expect(text).not.toContain('`');
});
