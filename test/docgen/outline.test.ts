import { describe, expect, test } from 'vitest';
import { bash } from '../../src/docgen/bash.js';
import { fish } from '../../src/docgen/fish.js';
import type { Outline } from '../../src/docgen/outline.js';
import { globalFlagsOf, placesOf } from '../../src/docgen/places.js';
import { zsh } from '../../src/docgen/zsh.js';
import { typeInto } from '../support/completion-typing.js';
import { find, openWorld, outline, runShell } from '../support/completion-world.js';

test('what is offered needs no quoting in any shell, and tells what it is', () => {
  const places = placesOf(outline);
  const flags = [...globalFlagsOf(outline), ...places.flatMap((place) => place.flags)];
  const values = [
    ...flags.map(({ value }) => value),
    ...places.flatMap((place) => place.arguments),
  ];
  const words = [
    ...places.flatMap(({ commands }) => commands.map(({ name }) => name)),
    ...flags.flatMap(({ names }) => names),
    ...values.flatMap((value) => value?.offer ?? []),
  ];
  expect(words.filter((word) => !/^[A-Za-z0-9_-]+$/.test(word))).toEqual([]);
  const named = [...places.flatMap(({ commands }) => commands), ...flags];
  expect(named.filter(({ purpose }) => purpose === '')).toEqual([]);
});

describe('a purpose that would run is shown as it is', () => {
  const purpose = `a [b] (c) {d} "e" 'f' \`touch x\` $(touch x) \\ g: h; i | j & k > x * ~ # !`;
  const hostile: Outline = {
    ...outline,
    flags: [{ names: ['-a', '--all'], value: `<${purpose}>`, purpose, repeats: false }],
    commands: ['one', 'other'].map((name) => ({
      ...outline,
      words: ['petstore', name],
      purpose,
      flags: [],
      commands: [],
    })),
  };

  test.skipIf(!find('bash'))('in bash (needs bash)', () => {
    const world = openWorld();
    runShell(world, [find('bash') ?? '', '--norc', '--noprofile'], bash(hostile));
    expect(world.ran()).toEqual([]);
  });

  test.skipIf(!find('fish'))('in fish (needs fish)', () => {
    const world = openWorld();
    const asked = 'complete -C "petstore o"; complete -C "petstore --a"';
    const output = runShell(
      world,
      [find('fish') ?? '', '--no-config'],
      `${fish(hostile)}\n${asked}`,
    );
    expect(output).toBe(`one\t${purpose}\nother\t${purpose}\n--all\t${purpose}\n`);
    expect(world.ran()).toEqual([]);
  });

  test.skipIf(!find('zsh'))('in zsh (needs zsh)', async () => {
    const world = openWorld();
    const settings = `autoload -Uz compinit; compinit -D -u; . ${world.write('petstore.zsh', zsh(hostile))}`;
    const command = [find('zsh') ?? '', '-f', '-i'];
    const typed = ['petstore o\t\u0015', 'petstore -\t\u0015'];
    const output = await typeInto(world, command, settings, typed);
    expect(output).toContain(`other  one  -- ${purpose}`);
    expect(output).toContain(`--all  -a  -- ${purpose}`);
    expect(world.ran()).toEqual([]);
  });
});
