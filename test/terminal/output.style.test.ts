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

  test.each([{ FORCE_COLOR: '1' }, {}])('is never there where that is asked for, whatever %j says', (env) => {
    expect(wantsColor({ mode: 'never', isTerminal: true, env })).toBe(false);
  });
});

describe('createStyle', () => {
  test('colors text', async () => {
    const style = await createStyle({ mode: 'always', isTerminal: false, env: {} });
    expect(style.heading('id')).toBe('\u001b[1mid\u001b[22m');
    expect(style.dim('hint')).toBe('\u001b[2mhint\u001b[22m');
    expect(style.error('error:')).toBe('\u001b[1m\u001b[91merror:\u001b[39m\u001b[22m');
    expect(style.status('available')).toBe('\u001b[32mavailable\u001b[39m');
    expect(style.success('✓')).toBe('\u001b[32m✓\u001b[39m');
    expect(style.warning('!')).toBe('\u001b[95m!\u001b[39m');
    expect(style.status('pending')).toBe('\u001b[95mpending\u001b[39m');
    expect(style.status('sold')).toBe('sold');
  });

  test.each(['adopted', 'constructor', '__proto__', 'toString', ''])(
    'leaves the unknown status %j as it is',
    async (status) => {
      const style = await createStyle({ mode: 'always', isTerminal: true, env: {} });
      expect(style.status(status)).toBe(status);
    },
  );

  test('without color, still shows selected text in reverse video and matches underlined', async () => {
    const { selected, match, ...others } = await createStyle({ mode: 'never', isTerminal: true, env: {} });
    for (const format of Object.values(others)) expect(format('sold')).toBe('sold');
    expect(selected('Rex')).toBe('\u001b[7mRex\u001b[27m');
    expect(match('ex')).toBe('\u001b[4mex\u001b[24m');
  });
});
