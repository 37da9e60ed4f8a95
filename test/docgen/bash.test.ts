import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtInProfiles } from '../../src/config/profile.js';
import { bash } from '../../src/docgen/bash.js';
import { flatten } from '../../src/docgen/outline.js';

import {
  configurations,
  hostileLines,
  lines,
  offeredIn,
  slowConfigurations,
} from '../support/completion-lines.js';
import { callsIn, recorded, typeInto } from '../support/completion-typing.js';
import {
  answersIn,
  find,
  openWorld,
  outline,
  runShell,
  type World,
} from '../support/completion-world.js';

const shell = find('bash');
const interactive = [shell ?? '', '--norc', '--noprofile', '-i'];
const bashCompletion = '/usr/share/bash-completion/bash_completion';
const script = bash(outline);

const moods: readonly (readonly [mood: string, settings: string])[] = [
  ['as it starts', ':'],
  ['that fails on anything', 'set -o errexit -o nounset -o pipefail'],
  ['with odd splitting', "IFS='ps-='"],
  [
    'with odd patterns',
    'shopt -s nullglob nocasematch nocaseglob dotglob; shopt -u extglob; set -f',
  ],
  ['that fails on patterns', 'shopt -s failglob extglob'],
  ['in its POSIX mode', 'set -o posix'],
  ['without breaks in words', "COMP_WORDBREAKS=$' \\t\\n'"],
];

describe.skipIf(!shell)('bash (needs bash)', () => {
  test.each(moods)('a shell %s offers what fits', (_, settings) => {
    const world = openWorld();
    const breaks = settings.includes('COMP_WORDBREAKS') ? '' : '=:';
    const asked = lines.map(([line]) => ask(line, breaks)).join('\n');
    const answers = answersIn(run(world, `${settings}\n${source(world)}\n${asked}`));
    expect(lines.map(([line], index) => [line, answers[index]])).toEqual(
      lines.map(([line, offered]) => [line, offeredIn(offered)]),
    );
    expect(world.ran()).toEqual([]);
  });

  test('every flag of every command is offered', () => {
    const world = openWorld();
    const commands = flatten(outline);
    const asked = commands.map(({ words }) => ask(`${words.join(' ')} -`)).join('\n');
    const answers = answersIn(run(world, `${source(world)}\n${asked}`));
    for (const [index, { flags }] of commands.entries()) {
      const names = [...flags, ...outline.flags].flatMap((flag) => flag.names);
      expect(answers[index]).toEqual([...new Set(names)].sort());
    }
  });

  test.each(configurations)('profiles %s', (_, text, kept) => {
    const world = openWorld();
    const folder = world.keep('kept', text);
    const settings = `set -eu; PETSTORE_CONFIG_DIR=${quote(folder)}`;
    const output = run(world, `${settings}\n${source(world)}\n${ask('petstore -p ')}`);
    expect(answersIn(output)).toEqual([offeredIn(`production sandbox staging ${kept}`)]);
    expect(world.ran()).toEqual([]);
  });

  test('profiles are looked for where petstore keeps them', () => {
    const world = openWorld();
    mkdirSync(join(world.env.HOME as string, '.config'));
    world.keep('.config/petstore', '{"profiles":{"home":{}}}');
    mkdirSync(join(world.env.HOME as string, 'xdg'));
    world.keep('xdg/petstore', '{"profiles":{"xdg":{}}}');
    mkdirSync(join(world.env.HOME as string, 'broken/config.json'), { recursive: true });
    const asked = [
      ask('petstore -p '),
      `XDG_CONFIG_HOME=xdg\n${ask('petstore -p ')}`,
      `XDG_CONFIG_HOME="$HOME/xdg"\n${ask('petstore -p ')}`,
      `PETSTORE_CONFIG_DIR="$HOME/broken"\n${ask('petstore -p ')}`,
      `PETSTORE_CONFIG_DIR="$HOME/nowhere"\n${ask('petstore -p ')}`,
    ];
    const answers = answersIn(run(world, `${source(world)}\n${asked.join('\n')}`));
    expect(answers.map((names) => names.filter((name) => !builtInProfiles.includes(name)))).toEqual(
      [['home'], ['home'], ['xdg'], [], []],
    );
  });

  test('nothing that was typed runs', () => {
    const world = openWorld();
    run(world, `${source(world)}\n${hostileLines.map((line) => ask(line)).join('\n')}`);
    expect(world.ran()).toEqual([]);
  });

  test('nothing is left behind but functions of its own', () => {
    const world = openWorld();
    const names = '{ compgen -A function; compgen -v; }';
    const asked = lines.map(([line]) => ask(line)).join('\n');
    const output = run(
      world,
      `${source(world)}
before='' name='' COMP_LINE='' COMP_POINT=0 COMP_WORDS=() COMP_CWORD=0 COMPREPLY=()
before=" $(${names}) "
unset -f $(compgen -A function _petstore)
source "$HOME/petstore.bash"
{ ${asked}
} >/dev/null
for name in $(${names}); do
  [[ $before == *[$' \n']"$name"[$' \n']* || $name == _petstore* ]] || echo "$name"
done`,
    );
    expect(output).toBe('');
  });

  test('in a terminal a Tab completes the line', () => tab(''));

  test.skipIf(!existsSync(bashCompletion))(
    'beside bash-completion a Tab completes the line (needs bash-completion)',
    () => tab(`. ${bashCompletion}`),
  );

  test('in a terminal nothing that was typed runs at a Tab', async () => {
    const world = openWorld();
    const settings = `. ${quote(world.write('petstore.bash', script))}`;
    await typeInto(
      world,
      interactive,
      settings,
      hostileLines.map((line) => `${line}\t\t\u0015`),
    );
    expect(world.ran()).toEqual([]);
  });

  test('a Tab takes less than 150 ms', () => {
    const profiles = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`p${index}`, { baseUrl: 'http://h/v1' }]),
    );
    const { names, seconds } = timed(JSON.stringify({ profiles }, null, 2));
    expect(names).toHaveLength(53);
    expect(seconds).toBeLessThan(0.15);
  });

  // A machine may be slow: what takes its time takes seconds.
  test.each(slowConfigurations)('a Tab does not wait for a configuration of %s', (_, content) => {
    const { names, seconds } = timed(content);
    expect(names).toEqual(offeredIn('production sandbox staging'));
    expect(seconds).toBeLessThan(0.5);
  });

  test('what a shell is set to stays', () => {
    const world = openWorld();
    const told = `word=é; echo "\${#word} $- $(shopt -p nocasematch) \${LC_ALL-} $LANG"`;
    const folder = world.keep('kept', '{"profiles":{"mine":{}}}');
    const output = run(
      world,
      `PETSTORE_CONFIG_DIR=${quote(folder)}
${source(world)}
for settings in 'set +f' 'set -f' 'shopt -s nocasematch' 'unset LC_ALL; LANG=C.UTF-8' 'readonly LC_ALL'; do
  eval "$settings"
  before=$(${told})
  ${ask('petstore -p ')} > /dev/null
  [[ $before == "$(${told})" ]] || echo "$settings: $before"
done
${told}`,
    );
    expect(output).toMatch(/^1 [a-zA-Z]*f/);
  });
});

/** What is offered with this configuration, and the least time that a processor spends on it, in seconds. */
function timed(content: string | Buffer) {
  const world = openWorld();
  const folder = world.keep('kept', content);
  const time = 'echo "# time"\ntimes';
  const times = `${time}\n${ask('petstore pets list -p ')}\n${time}\n`;
  const output = run(
    world,
    `PETSTORE_CONFIG_DIR=${quote(folder)}\n${source(world)}\n${times.repeat(3)}`,
  );
  const [before, names, after, ...again] = answersIn(output);
  const spent = [after, again[2], again[5]].map(secondsIn);
  const begun = [before, again[0], again[3]].map(secondsIn);
  return { names, seconds: Math.min(...spent.map((end, index) => end - (begun[index] ?? 0))) };
}

/** What `times` tells of a shell and of what it ran: `0m0.004s 0m0.001s`, twice. */
function secondsIn(times: readonly string[] = []): number {
  return [...times.join(' ').matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

const tabs = (directory: string): readonly (readonly [typed: string, called: string])[] => [
  ['petstore pets l\t--li\t5', '<pets><list><--limit><5>'],
  ['petstore --output=js\t', '<--output=json>'],
  ['petstore "--output=js\t', '<--output=json>'],
  ['petstore -p st\t', '<-p><staging>'],
  ['petstore pets get \u00e9 -p st\t\u00e9', '<pets><get><\u00e9><-p><staging><\u00e9>'],
  ['petstore pets get d\t', '<pets><get><d>'],
  ['petstore pets import my\t', '<pets><import><my pets.csv>'],
  ['petstore pets import "my\t', '<pets><import><my pets.csv>'],
  ['petstore pets add --from=my\t', '<pets><add><--from=my pets.csv>'],
  ['petstore pets import ~/work/da\t', `<pets><import><${directory}/data.json>`],
  ["petstore pets get '$(touch x)' --js\t", '<pets><get><$(touch x)><--json>'],
];

async function tab(beside: string): Promise<void> {
  const world = openWorld();
  const settings = `${beside}\n. ${quote(world.write('petstore.bash', script))}\n${recorded}`;
  const cases = tabs(world.directory);
  const typed = cases.map(([keys]) => `${keys}\r`);
  await typeInto(world, interactive, settings, typed);
  expect(callsIn(world)).toEqual(cases.map(([, called]) => called));
  expect(world.ran()).toEqual([]);
}

function run(world: World, text: string): string {
  return runShell(world, [shell ?? '', '--norc', '--noprofile'], text);
}

/** Reads the script, and makes a function that asks it as readline would. */
function source(world: World): string {
  return `source ${quote(world.write('petstore.bash', script))}
ask() {
  COMP_LINE=$1 COMP_POINT=\${#1}
  local current=$2
  shift 2
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _petstore petstore "$current" ''
  printf '# %s\\n' "$COMP_LINE"
  printf '%s\\n' \${COMPREPLY[@]+"\${COMPREPLY[@]}"}
}`;
}

/** Asks what is offered at the end of a line, which readline breaks at spaces and at `breaks`. */
function ask(line: string, breaks = '=:'): string {
  const set = breaks === '' ? '' : `[${breaks}]+|`;
  const piece = new RegExp(
    `${set}(?:\\\\.|'[^']*'?|"[^"]*"?|[$<]\\([^)]*\\)?|\`[^\`]*\`?|[^\\s'"\\\\${breaks}])+`,
    'g',
  );
  const pieces: string[] = line.match(piece) ?? [];
  if (line.endsWith(' ') && !pieces.at(-1)?.endsWith(' ')) pieces.push('');
  const current = (pieces.at(-1) as string).replace(/^(['"]|[=:]+$)/, '');
  return `ask ${[line, current, ...pieces].map(quote).join(' ')}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
