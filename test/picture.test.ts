import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { newUser, temporaryDirectory } from './support/petstore.js';

const pictures = [
  {
    file: 'terminal.svg',
    commands: [
      'petstore pets list --limit 6',
      'petstore pets add --name Rex --category-id 4 --status available',
      'petstore quota',
    ],
  },
  { file: 'browse.svg', commands: [] },
  { file: 'add.svg', commands: ['petstore pets add', 'petstore pets add --name Luna'] },
];

describe.each(pictures)('the picture $file', ({ file, commands }) => {
  const svg = readFileSync(join('docs', file), 'utf8');

  test('shows its commands', () => {
    expect(linesOf(svg).filter((line) => /^\$ ./.test(line))).toEqual(commands.map((command) => `$ ${command}`));
  });

  test('is small, well-formed and self-contained', () => {
    expect(Buffer.byteLength(svg)).toBeLessThan(20_000);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]* role="img">\n<title>/);
    expect(svg).not.toMatch(/[^\P{C}\n]|<script|href|url\(|@import|<!/u);
    expectWellFormed(svg);
  });
});

test('the pictures match the current output (npm run picture)', async () => {
  const directory = temporaryDirectory();
  await execa(process.execPath, ['docs/picture.js', directory]);
  for (const { file } of pictures) {
    const [drawn, committed] = [directory, 'docs'].map((folder) => readFileSync(join(folder, file), 'utf8'));
    expect(drawn).toBe(committed);
  }
});

test('the picture of a list matches the output to a pipe', async () => {
  const { stdout } = await newUser().run(['pets', 'list', '--limit', '6']);
  const drawn = linesOf(readFileSync('docs/terminal.svg', 'utf8'));
  expect(drawn.slice(1, 8)).toEqual(stdout.trimEnd().split('\n'));
});

function linesOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, line = '']) =>
    line
      .replace(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  );
}

/** Checks that elements are nested and closed, attributes quoted, and other `<` and `&` escaped. */
function expectWellFormed(svg: string): void {
  const tag = /<(\/?)([a-z]+)((?: [a-zA-Z:]+="[^"<&]*")*)(\/?)>/g;
  const open: string[] = [];
  for (const [whole, closes, name = '', attributes = '', isEmpty] of svg.matchAll(tag)) {
    const names = attributes.match(/[a-zA-Z:]+(?==")/g) ?? [];
    expect(new Set(names).size, whole).toBe(names.length);
    if (closes) expect(open.pop(), whole).toBe(name);
    else if (!isEmpty) open.push(name);
  }
  expect(open).toEqual([]);
  expect(svg.replace(tag, '').replace(/&(?:amp|lt|gt);/g, '')).not.toMatch(/[<&]/);
}
