import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { flatten } from '../../src/docgen/outline.js';
import { zsh } from '../../src/docgen/zsh.js';
import {
  configurations,
  hostileLines,
  lines,
  offeredIn,
  slowConfigurations,
} from '../support/completion-lines.js';
import { callsIn, recorded, typeInto } from '../support/completion-typing.js';
import { answersIn, find, openWorld, outline, type World } from '../support/completion-world.js';
import { openProgram } from '../support/terminal.js';

const shell = find('zsh');
const interactive = [shell ?? '', '-f', '-i'];
const script = zsh(outline);
const clear = '\u0015';

const moods: readonly (readonly [mood: string, settings: string])[] = [
  ['as it starts', ':'],
  [
    'with odd options',
    'setopt ksh_arrays sh_word_split glob_subst no_unset err_return null_glob ignore_braces ksh_glob; IFS=ps-',
  ],
];

describe.skipIf(!shell)('zsh (needs zsh)', () => {
  test.each(moods)('a shell %s offers what fits', async (_, settings) => {
    const world = openWorld();
    const answers = await ask(
      world,
      settings,
      lines.map(([line]) => `${line}\t${clear}`),
    );
    // Where no more arguments can stand, zsh offers flags without being asked for them.
    const asked = lines.map(([line], index) => [
      line,
      answers[index]?.filter((word) => (line.endsWith(' ') ? !word.startsWith('-') : true)),
    ]);
    expect(asked).toEqual(lines.map(([line, offered]) => [line, offeredIn(offered)]));
    expect(world.ran()).toEqual([]);
  });

  test('every flag of every command is offered', async () => {
    const world = openWorld();
    const commands = flatten(outline);
    const asked = commands.map(({ words }) => `${words.join(' ')} -\t${clear}`);
    const answers = await ask(world, '', asked);
    for (const [index, { flags }] of commands.entries()) {
      const names = [...flags, ...outline.flags].flatMap((flag) => flag.names);
      expect(answers[index]).toEqual([...new Set(names)].sort());
    }
  });

  test('profiles are those of any configuration file that can be read', async () => {
    const world = openWorld();
    const asked = configurations.flatMap(([about, text], index) => {
      const folder = world.keep(`kept${index}`, about === 'none' ? '{}' : text);
      return [`PETSTORE_CONFIG_DIR=${folder}\r`, `petstore -p \t${clear}`];
    });
    const answers = await ask(world, '', asked);
    expect(configurations.map(([about], index) => [about, answers[index]])).toEqual(
      configurations.map(([about, , kept]) => [
        about,
        offeredIn(`production sandbox staging ${kept}`),
      ]),
    );
    expect(world.ran()).toEqual([]);
  });

  test('a Tab does not wait for a configuration of any kind', async () => {
    const world = openWorld();
    const asked = slowConfigurations.flatMap(([, content], index) => {
      const folder = world.keep(`kept${index}`, content);
      return [`PETSTORE_CONFIG_DIR=${folder}\r`, `petstore -p \t${clear}`];
    });
    const start = performance.now();
    const answers = await ask(world, '', asked);
    // A machine may be slow: what takes its time takes seconds.
    expect(performance.now() - start).toBeLessThan(500 * slowConfigurations.length);
    expect(answers).toEqual(slowConfigurations.map(() => offeredIn('production sandbox staging')));
  });

  test.each(['sourced', 'found in $fpath'])('%s, a Tab completes the line', async (how) => {
    const world = openWorld();
    const settings = how === 'sourced' ? sourced(world) : inPath(world);
    const cases = [
      ['petstore pets l\t--lim\t5', '<pets><list><--limit=5>'],
      ['petstore --output=js\t', '<--output=json>'],
      ['petstore -qpst\t', '<-qpstaging>'],
      ['petstore pets get d\t', '<pets><get><d>'],
      ['petstore pets import my\t', '<pets><import><my pets.csv>'],
      ['petstore pets add --from=my\t', '<pets><add><--from=my pets.csv>'],
      ['petstore pets import ~/work/da\t', `<pets><import><${world.directory}/data.json>`],
      ['petstore pets import $HOME/work/da\t', `<pets><import><${world.directory}/data.json>`],
    ] as const;
    const typed = cases.map(([keys]) => `${keys}\r`);
    await typeInto(world, interactive, `${settings}\n${recorded}`, typed);
    expect(callsIn(world)).toEqual(cases.map(([, called]) => called));
    expect(world.ran()).toEqual([]);
  });

  test('each candidate stands with what it is', async () => {
    const world = openWorld();
    const terminal = openProgram(world.env.HOME as string, interactive, {
      columns: 120,
      env: world.env,
    });
    terminal.type(`PS1='> '; . ${world.write('settings', sourced(world))}\r`);
    terminal.type('petstore a\t');
    await terminal.see(/api +-- Send a raw request with the profile's key/);
    terminal.type(`${clear}petstore serve --\t`);
    await terminal.see(/--fault +-- fail now and then: 503:0.05, reset:0.01/);
  });

  test('nothing that was typed runs', async () => {
    const world = openWorld();
    // Before it completes, zsh expands what is under the cursor; that is its own key binding.
    const settings = `${sourced(world)}\nbindkey '^I' complete-word`;
    const typed = hostileLines.map((line) => `${line}\t\t${clear}`);
    await typeInto(world, interactive, settings, typed);
    expect(world.ran()).toEqual([]);
  });
});

/** What Tab offers at the end of each line; the lines are typed, and what compadd gets is written down. */
async function ask(world: World, settings: string, typed: readonly string[]) {
  const notes = `
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a offered
  builtin compadd -O offered "$@"
  print -rl -- \${(Q)offered} >> ~/offered
  builtin compadd "$@"
}
ask() { print -r -- "# $BUFFER" >> ~/offered; zle complete-word; }
zle -N ask
bindkey '^I' ask`;
  await typeInto(world, interactive, `${sourced(world, settings)}\n${notes}`, typed);
  return answersIn(readFileSync(join(world.env.HOME as string, 'offered'), 'utf8'));
}

function sourced(world: World, settings = ''): string {
  const path = world.write('petstore.zsh', script);
  return `autoload -Uz compinit; compinit -D -u\n${settings}\n. ${path}`;
}

function inPath(world: World): string {
  mkdirSync(join(world.env.HOME as string, 'functions'));
  world.write('functions/_petstore', script);
  return 'fpath=(~/functions $fpath); autoload -Uz compinit; compinit -D -u';
}
