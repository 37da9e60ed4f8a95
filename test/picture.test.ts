import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { calculateContrast, findLowContrasts } from './support/color-schemes.js';
import { newUser, temporaryDirectory } from './support/petstore.js';

const pictures = [
  {
    file: 'terminal.svg',
    commands: [
      'petstore pets list --status available --limit 5',
      'petstore pets add',
      'petstore pets browse',
      'petstore quota',
    ],
  },
  { file: 'browse.svg', commands: [] },
  { file: 'add.svg', commands: ['petstore pets add', 'petstore pets add --name Luna'] },
  {
    file: 'import.svg',
    commands: ['petstore pets import pets.csv', 'petstore pets import pets.csv --rejects rejects.csv'],
  },
  {
    file: 'quota.svg',
    commands: ['petstore pets import pets.csv --yes --quiet', 'petstore quota'],
  },
  { file: 'doctor.svg', commands: ['petstore doctor --profile production'] },
];

describe.each(pictures)('the picture $file', ({ file, commands }) => {
  const svg = readFileSync(join('docs', file), 'utf8');

  test('shows its commands', () => {
    // A command in the last line is still being typed.
    const shown = readScreens(svg).flatMap((screen) => screen.join('\n').match(/(?<=^\$ ).+(?=\n)/gm) ?? []);
    expect([...new Set(shown)]).toEqual(commands);
  });

  test('is well-formed and self-contained', () => {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]* role="img">\n<title>/);
    expect(svg).not.toMatch(/[^\P{C}\n]|<script|<animate|<set| on[a-z]+=|href|url\(|@import|<!/u);
    expectWellFormed(svg);
  });

  test('uses colors that are readable in the picture and in terminals', () => {
    const classes = [...svg.matchAll(/<tspan[^>]* class="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' '));
    const names = new Set(['ink', ...classes].filter((name) => !attributes.includes(name)));
    const dark = svg.match(/^@media \(prefers-color-scheme:dark\){(.*)}$/m)?.[1] ?? '';
    for (const css of [svg.replace(dark, ''), dark]) {
      const colorOf = (name: string) => css.match(`\\.${name}{fill:(#[0-9a-f]{6})}`)?.[1] ?? '';
      for (const name of names) {
        if (name === 'paper') continue;
        expect(calculateContrast(colorOf(name), colorOf('paper')), name).toBeGreaterThan(4.5);
        expect(findLowContrasts(name)).toEqual([]);
      }
    }
  });
});

const attributes = ['bold', 'dim', 'underline', 'italic'];

describe('the animated picture', () => {
  const svg = readFileSync('docs/terminal.svg', 'utf8');
  const screens = readScreens(svg).map((screen) => screen.join('\n'));

  test('shows that prompts are answered and a filter is typed and cleared', () => {
    const moments = [
      /\? Name.* Moc$/m,
      /\? Name.* Mocha$/m,
      /\? Status/,
      /\? Add Mocha/,
      /\bmo\W*$/m,
      /\bmoc\W*$/m,
      /\bZoe\b/,
    ];
    let last = -1;
    for (const moment of moments) {
      const next = screens.findIndex((screen, index) => index > last && moment.test(screen));
      expect(next, String(moment)).toBeGreaterThan(last);
      last = next;
    }
  });

  test('plays for 15 to 20 seconds and loops', () => {
    const [, ms] = svg.match(/{animation:(\d+)ms step-end infinite}/) ?? [];
    expect(Number(ms)).toBeGreaterThanOrEqual(15_000);
    expect(Number(ms)).toBeLessThanOrEqual(20_000);
  });

  test('shows only the last screen to readers who prefer reduced motion', () => {
    const outside = svg.replace(/^@media \(prefers-reduced-motion:no-preference\){g{animation:[^{}]*}}$/m, '');
    expect(outside).not.toMatch(/animation:|animation-duration/);
    expect(readScreen(svg, readStrips(svg), ({ still }) => still)).toEqual(readScreens(svg).at(-1));
  });

  test('shows the pets that a pipe gets', async () => {
    const { stdout } = await newUser().run(['pets', 'list', '--status', 'available', '--limit', '5', '--no-header']);
    const rows = stdout.trimEnd().split('\n').map(splitCells);
    expect(rows).toHaveLength(5);
    const shown = readScreens(svg).map((screen) => screen.slice(2, 7).map(splitCells));
    expect(shown).toContainEqual(rows);
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

interface Text {
  readonly y: number;
  readonly text: string;
}

/** Texts that move together. */
interface Strip {
  readonly texts: readonly Text[];
  /** The vertical offset without animation. */
  readonly still: number;
  /** Vertical offsets by the time in percent. */
  readonly moves: ReadonlyMap<number, number>;
}

/** Returns the screens of an animation in order, or the only one of a still picture. */
function readScreens(svg: string): readonly (readonly string[])[] {
  const strips = readStrips(svg);
  const times = [...new Set([0, ...strips.flatMap(({ moves }) => [...moves.keys()])])].sort(
    (one, other) => one - other,
  );
  return times.map((time) =>
    readScreen(svg, strips, ({ moves, still }) => [...moves].findLast(([start]) => start <= time)?.[1] ?? still),
  );
}

/** Returns the lines inside the picture, without the blank ones at the end. */
function readScreen(svg: string, strips: readonly Strip[], offsetOf: (strip: Strip) => number): readonly string[] {
  const height = Number(svg.match(/ height="(\d+)"/)?.[1]);
  const screen: string[] = [];
  for (const strip of strips) {
    for (const { y, text } of strip.texts) {
      const moved = y + offsetOf(strip);
      if (moved > 0 && moved < height) screen[Math.floor((moved - 44) / 20)] = text;
    }
  }
  return Array.from(screen, (text) => text ?? '');
}

function readStrips(svg: string): readonly Strip[] {
  const group = /<g style="animation-name:(\w+)" transform="translate\(0 (-?\d+)\)">(.*?)<\/g>/gs;
  const strips = [...svg.matchAll(group)].map(([, name, still, body = '']) => {
    const keyframes = svg.match(`@keyframes ${name}{(.*)}`)?.[1] ?? '';
    const moves = [...keyframes.matchAll(/([\d.]+)%{transform:translateY\((-?\d+)px\)}/g)];
    return {
      texts: readTexts(body),
      still: Number(still),
      moves: new Map(moves.map(([, time, offset]) => [Number(time), Number(offset)])),
    };
  });
  return [...strips, { texts: readTexts(svg.replace(group, '')), still: 0, moves: new Map() }];
}

function readTexts(svg: string): readonly Text[] {
  return [...svg.matchAll(/<text y="([\d.]+)"[^>]*>(.*)<\/text>/g)].map(([, y, line = '']) => ({
    y: Number(y),
    text: line
      .replace(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  }));
}

function splitCells(line: string): readonly string[] {
  return line.trim().split(/\s+/);
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
