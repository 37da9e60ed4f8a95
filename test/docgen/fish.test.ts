import { describe, expect, test } from 'vitest';
import { fish } from '../../src/docgen/fish.js';
import { flatten } from '../../src/docgen/outline.js';
import {
  configurations,
  hostileLines,
  lines,
  offeredIn,
  slowConfigurations,
} from '../support/completion-lines.js';
import {
  answersIn,
  find,
  openWorld,
  outline,
  runShell,
  type World,
} from '../support/completion-world.js';

const shell = find('fish');
const script = fish(outline);

describe.skipIf(!shell)('fish (needs fish)', () => {
  test('what fits is offered', () => {
    const world = openWorld();
    const answers = ask(
      world,
      lines.map(([line]) => line),
    );
    expect(lines.map(([line], index) => [line, answers[index]])).toEqual(
      lines.map(([line, offered]) => [line, offeredIn(offered)]),
    );
    expect(world.ran()).toEqual([]);
  });

  test('every flag of every command is offered', () => {
    const world = openWorld();
    const commands = flatten(outline);
    const answers = ask(
      world,
      commands.flatMap(({ words }) => [`${words.join(' ')} -`, `${words.join(' ')} --`]),
    );
    for (const [index, { flags }] of commands.entries()) {
      const names = [...flags, ...outline.flags].flatMap((flag) => flag.names);
      const offered = new Set([...(answers[2 * index] ?? []), ...(answers[2 * index + 1] ?? [])]);
      expect([...offered].sort()).toEqual([...new Set(names)].sort());
    }
  });

  test('each candidate stands with what it is', () => {
    const world = openWorld();
    const output = run(world, 'complete -C "petstore a"; complete -C "petstore serve --fau"');
    expect(output).toBe(
      [
        "api\tSend a raw request with the profile's key, and print what comes back.",
        'auth\tKeep the API keys of profiles.',
        '--fault\tfail now and then: 503:0.05, reset:0.01, 429:0.1; seed:42 repeats the same ones; may be given again',
        '',
      ].join('\n'),
    );
  });

  test('profiles are those of any configuration file that can be read', () => {
    const world = openWorld();
    const asked = configurations.map(([about, text]) => {
      const folder = world.keep(about, text);
      return `set -gx PETSTORE_CONFIG_DIR ${quote(folder)}\n${askFor('petstore -p ')}`;
    });
    const answers = answersIn(run(world, asked.join('\n')));
    expect(configurations.map(([about], index) => [about, answers[index]])).toEqual(
      configurations.map(([about, , kept]) => [
        about,
        offeredIn(`production sandbox staging ${kept}`),
      ]),
    );
    expect(world.ran()).toEqual([]);
  });

  test('a Tab does not wait for a configuration of any kind', () => {
    const world = openWorld();
    const asked = slowConfigurations.map(([about, content]) => {
      const folder = world.keep(about, content);
      return `set -gx PETSTORE_CONFIG_DIR ${quote(folder)}\n${askFor('petstore -p ')}`;
    });
    const start = performance.now();
    const answers = answersIn(run(world, asked.join('\n')));
    // A machine may be slow: what takes its time takes seconds.
    expect(performance.now() - start).toBeLessThan(500 * slowConfigurations.length);
    expect(answers).toEqual(slowConfigurations.map(() => offeredIn('production sandbox staging')));
  });

  test('a value is not told to be what its flag is', () => {
    const world = openWorld();
    const asked = ['-p st', '--profile=st', 'pets list -o j', 'profile use st'];
    const output = run(world, asked.map((line) => `complete -C "petstore ${line}"`).join('\n'));
    expect(output).toBe('staging\n--profile=staging\njson\nstaging\n');
  });

  test('a redirection is no argument', () => {
    const world = openWorld();
    const answers = ask(world, [
      'petstore 2>/dev/null pets l',
      'petstore pets > "a b" l',
      'petstore pets import >log ',
      'petstore pets import <data.json >>log 2>&1 d',
      'petstore pets import "a>b" d',
      'petstore pets import a\\>b d',
      'petstore pets import (cat <a >b) d',
      'petstore pets import data.json >log d',
    ]);
    const [files, none] = [offeredIn('data.json|my pets.csv|stock'), [] as string[]];
    expect(answers).toEqual([['list'], ['list'], files, ['data.json'], none, none, none, none]);
  });

  test('nothing that was typed runs', () => {
    const world = openWorld();
    ask(world, hostileLines);
    expect(world.ran()).toEqual([]);
  });
});

function ask(world: World, asked: readonly string[]): readonly (readonly string[])[] {
  return answersIn(run(world, asked.map(askFor).join('\n')));
}

function run(world: World, text: string): string {
  const source = `source ${quote(world.write('petstore.fish', script))}`;
  return runShell(world, [shell ?? '', '--no-config'], `${source}\n${text}`);
}

function askFor(line: string): string {
  return `echo ${quote(`# ${line}`)}\ncomplete -C ${quote(line)} | string replace -r '\\t.*' ''`;
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
