import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatPrintfCommand, quoteShellWord } from '../../src/format/shell.js';
import { isInstalled } from '../support/programs.js';

/** Prints many texts with one shell, each followed by NUL. */
function printed(shell: string, words: readonly string[]): readonly string[] {
  const script = words.map((word) => `printf '%s\\0' ${word}\n`).join('');
  const output = execFileSync(shell, { input: script, env: { LC_ALL: 'C' } });
  return output.toString().split('\0').slice(0, -1);
}

const mean = fc.string({
  unit: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...'\'"`$!\\%&|;<>()[]{}*?~#@=^ \t\n\r') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('\u001b', '\u0007', '\u007f', '\u009b', '\u202e', 'é', '猫', '👩‍🚒', '\ufeff'),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }) },
  ),
  maxLength: 40,
});

describe.each(['sh', 'bash', 'zsh'])('%s (if installed)', (shell) => {
  test.skipIf(!isInstalled(shell))('reads a quoted word as the text that it stands for', () => {
    const texts = fc.sample(mean, 600).map((text) => text.toWellFormed().replaceAll('\0', ''));
    const always = ['', "'", '\n', '!!', '@file', '-n', '$(id)', '`id`', '\u001b[2J\n', 'a\r\n', '%s%n', '\\', 'a\tb'];
    const all = [...always, ...texts];
    expect(printed(shell, all.map(quoteShellWord))).toEqual(all);
  });

  test.skipIf(!isInstalled(shell))('prints the bytes of any body', () => {
    const bodies = fc.sample(fc.uint8Array({ maxLength: 60 }), 60);
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    for (const body of [every, new Uint8Array(), ...bodies]) {
      const output = execFileSync(shell, {
        input: formatPrintfCommand(body),
        env: { LC_ALL: 'C' },
      });
      expect([...output]).toEqual([...body]);
    }
  });
});

test('writes unsafe characters as octal escapes', () => {
  expect(quoteShellWord('a\u001b]0;x\nc\n')).toBe("\"$(printf 'a\\033]0;x\nc')\"'\n'");
  expect(quoteShellWord('Añil')).toBe("'Añil'");
});
