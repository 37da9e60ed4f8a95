import { describe, expect, test } from 'vitest';
import { createStyle, wantsColor } from '../../src/terminal/output.js';

describe('wantsColor', () => {
  test.each<[string, Record<string, string>, boolean, boolean]>([
    ['nothing said', {}, true, false],
    ['NO_COLOR', { NO_COLOR: '1' }, false, false],
    ['an empty NO_COLOR, which says nothing', { NO_COLOR: '' }, true, false],
    ['NO_COLOR=0, which is set all the same', { NO_COLOR: '0' }, false, false],
    ['FORCE_COLOR', { FORCE_COLOR: '1' }, true, true],
    ['an empty FORCE_COLOR', { FORCE_COLOR: '' }, true, true],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, false, false],
    ['FORCE_COLOR=false', { FORCE_COLOR: 'false' }, false, false],
    ['NO_COLOR and FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, false, false],
    ['CLICOLOR_FORCE', { CLICOLOR_FORCE: '1' }, true, true],
    ['CLICOLOR_FORCE=0', { CLICOLOR_FORCE: '0' }, true, false],
    ['NO_COLOR and CLICOLOR_FORCE', { NO_COLOR: '1', CLICOLOR_FORCE: '1' }, false, false],
    ['FORCE_COLOR=0 and CLICOLOR_FORCE', { FORCE_COLOR: '0', CLICOLOR_FORCE: '1' }, false, false],
    ['TERM=dumb', { TERM: 'dumb' }, false, false],
    ['TERM=dumb and FORCE_COLOR', { TERM: 'dumb', FORCE_COLOR: '1' }, true, true],
    ['TERM=xterm-256color', { TERM: 'xterm-256color' }, true, false],
  ])('with %s', (_, env, onTerminal, inPipe) => {
    expect(wantsColor({ mode: 'auto', isTerminal: true, env })).toBe(onTerminal);
    expect(wantsColor({ mode: 'auto', isTerminal: false, env })).toBe(inPipe);
  });

  test.each([{ NO_COLOR: '1' }, { FORCE_COLOR: '0' }, { TERM: 'dumb' }, {}])(
    'is always there where that is asked for, whatever %j says',
    (env) => {
      expect(wantsColor({ mode: 'always', isTerminal: false, env })).toBe(true);
    },
  );

  test.each([{ FORCE_COLOR: '1' }, { CLICOLOR_FORCE: '1' }, {}])(
    'is never there where that is asked for, whatever %j says',
    (env) => {
      expect(wantsColor({ mode: 'never', isTerminal: true, env })).toBe(false);
    },
  );
});

describe('createStyle', () => {
  test('colors text', async () => {
    const style = await createStyle({ mode: 'always', isTerminal: false, env: {} });
    expect(style.heading('id')).toBe('\u001b[1mid\u001b[22m');
    expect(style.dim('hint')).toBe('\u001b[2mhint\u001b[22m');
    expect(style.error('error:')).toBe('\u001b[1m\u001b[31merror:\u001b[39m\u001b[22m');
    expect(style.status('available')).toBe('\u001b[32mavailable\u001b[39m');
    expect(style.success('✓')).toBe('\u001b[32m✓\u001b[39m');
    expect(style.warning('!')).toBe('\u001b[35m!\u001b[39m');
    expect(style.status('pending')).toBe('\u001b[35mpending\u001b[39m');
    expect(style.status('sold')).toBe('sold');
  });

  test.each(['adopted', 'constructor', '__proto__', 'toString', ''])(
    'leaves the unknown status %j as it is',
    async (status) => {
      const style = await createStyle({ mode: 'always', isTerminal: true, env: {} });
      expect(style.status(status)).toBe(status);
    },
  );

  test('changes nothing without color', async () => {
    const style = await createStyle({ mode: 'never', isTerminal: true, env: {} });
    for (const dress of Object.values(style)) expect(dress('sold')).toBe('sold');
  });
});

/** Background, red, green and magenta of common color schemes. */
const schemes = {
  'Tango dark': ['#000000', '#cc0000', '#4e9a06', '#75507b'],
  'Tango light': ['#ffffff', '#cc0000', '#4e9a06', '#75507b'],
  'Solarized dark': ['#002b36', '#dc322f', '#859900', '#d33682'],
  'Solarized light': ['#fdf6e3', '#dc322f', '#859900', '#d33682'],
  'Visual Studio Code dark': ['#1e1e1e', '#cd3131', '#0dbc79', '#bc3fbc'],
  'Visual Studio Code light': ['#ffffff', '#cd3131', '#107c10', '#bc05bc'],
} as const;

describe('every color is readable', async () => {
  const style = await createStyle({ mode: 'always', isTerminal: true, env: {} });
  const texts = [
    ...['available', 'pending', 'sold'].map(style.status),
    ...[style.success, style.warning, style.error, style.heading].map((paint) => paint('text')),
  ];

  test.each(Object.entries(schemes))('with %s', (_, [background, red, green, magenta]) => {
    const colors = new Map(Object.entries({ 31: red, 32: green, 35: magenta }));
    for (const text of texts) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence
      const code = /\u001b\[([39]\d|4\d)m/.exec(text)?.[1];
      // Text without a color has that of the scheme.
      if (code === undefined || code === '39') continue;
      expect(contrast(colors.get(code) ?? background, background), text).toBeGreaterThan(2.9);
    }
  });
});

/** Returns the contrast of two colors, from 1 to 21 (WCAG 2.2). */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
