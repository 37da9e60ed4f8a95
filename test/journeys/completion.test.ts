import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareEnv, binary, newUser, node, type User } from '../support/petstore.js';
import { openProgram } from '../support/terminal.js';

const label = `it's a "key" \\ $(touch x)`;
const killLine = '\u0015';

/** How each shell starts, reads the script, and records the arguments of petstore in place of running it. */
const shells = [
  {
    name: 'bash',
    file: 'petstore.bash',
    args: ['--norc', '--noprofile', '-i'],
    setup: `PS1='ready> '
petstore() { printf '<%s>' "$@" >> ~/calls; echo >> ~/calls; }`,
    source: '. ~/script',
  },
  {
    name: 'zsh',
    file: '_petstore',
    args: ['-f', '-i'],
    // Without complete-word, Tab expands the word itself.
    setup: `PS1='ready> '; autoload -Uz compinit; compinit -D -u; bindkey '^I' complete-word
petstore() { printf '<%s>' "$@" >> ~/calls; echo >> ~/calls; }`,
    source: '. ~/script',
  },
  {
    name: 'fish',
    file: 'petstore.fish',
    args: ['--no-config', '-i'],
    setup: `function fish_prompt; echo 'ready> '; end; set -g fish_autosuggestion_enabled 0
function petstore; printf '<%s>' $argv >> ~/calls; echo >> ~/calls; end`,
    source: 'source ~/script',
  },
] as const;

describe.each(shells)('$name', (shell) => {
  const isMissing = spawnSync(shell.name, ['--version']).error !== undefined;

  test.skipIf(isMissing)(`completes at a Tab (needs ${shell.name})`, async () => {
    const { home, run } = newShellUser();
    await run(['serve', 'keys', 'create', '--plan', 'pro', '--label', label]);
    const cases = [
      ['petstore pets l\t--lim\t5', '<pets><list><--limit><5>'],
      ['petstore --output=js\t', '<--output=json>'],
      ['petstore "--output=js\t', '<--output=json>'],
      ['petstore -p st\t', '<-p><staging>'],
      ['petstore config set output js\t', '<config><set><output><json>'],
      ['petstore pets list --fields id,na\t', '<pets><list><--fields><id,name>'],
      ['petstore pets get d\t', '<pets><get><d>'],
      ['petstore pets get 1 \t', '<pets><get><1>'],
      ['petstore pets list --all --al\t', '<pets><list><--all><--al>'],
      ['petstore pets import my\t', '<pets><import><my pets.csv>'],
      ['petstore pets import --journal=my\t', '<pets><import><--journal=my pets.csv>'],
      ['petstore pets import ~/work/da\t', `<pets><import><${home}/work/data.json>`],
      ['petstore pets list > da\t', '<pets><list>'],
      ['petstore serve keys revoke it\t', `<serve><keys><revoke><${label}>`],
      ["petstore pets get '$(touch x)' --js\t", '<pets><get><$(touch x)><--json>'],
    ] as const;
    await typeInto(
      home,
      shell,
      cases.map(([keys]) => `${keys}\r`),
    );
    expect(callsIn(home)).toEqual(cases.map(([, call]) => call));
    expect(filesIn(home)).toEqual(['data.json', 'my pets.csv']);
  });

  test.skipIf(isMissing)(`runs nothing that is typed (needs ${shell.name})`, async () => {
    const { home } = newShellUser();
    const hostile = [
      'petstore pets get $(touch x) ',
      'petstore pets get "$(touch x)',
      'petstore pets import $(touch x)/',
      'petstore pets import `touch x`/d',
      'petstore --profile=$(touch x)',
      'petstore pets import --rejects=$(touch x)/',
      'petstore pets import ~$(touch x)/',
      "petstore '$(touch x) ",
      'petstore a[$(touch x)] ',
      "petstore pets import *(e:'touch x':)",
    ];
    await typeInto(
      home,
      shell,
      hostile.map((line) => `${line}\t\t${killLine}`),
    );
    expect(filesIn(home)).toEqual(['data.json', 'my pets.csv']);
  });

  test.skipIf(isMissing)(`prints nothing if petstore fails or is missing (needs ${shell.name})`, async () => {
    const { home } = newShellUser('exit 1');
    const output = await typeInto(home, shell, ['petstore pets l\t\r', 'petstore d\t\r']);
    rmSync(join(home, 'programs/petstore'));
    const later = await typeInto(home, shell, ['petstore serve k\t\r']);
    expect(callsIn(home)).toEqual(['<pets><l>', '<d>', '<serve><k>']);
    expect(output + later).not.toMatch(/error|not found|unknown/i);
  });
});

test('completes with a broken configuration', async () => {
  const { home, run } = newShellUser();
  const env = { PETSTORE_CONFIG_DIR: home, PETSTORE_TIMEOUT: 'soon', PETSTORE_UNKNOWN: '1' };
  writeFileSync(join(home, 'config.json'), '{');
  const expected = { stdout: 'sandbox\nstaging\n:done\n', stderr: '', exitCode: 0 };
  expect(await run(['__complete', '--', '-p', 's'], { env })).toEqual(expected);
  const base64 = Buffer.from('\0-p\0s').toString('base64');
  expect(await run(['__complete', '--base64', base64], { env })).toEqual(expected);
});

/** A user with a folder of files to complete, and with petstore on the PATH. */
function newShellUser(petstore = `exec '${node}' '${binary}' "$@"`): User {
  const user = newUser();
  for (const folder of ['work', 'programs']) mkdirSync(join(user.home, folder));
  for (const name of ['data.json', 'my pets.csv']) writeFileSync(join(user.home, 'work', name), '');
  const path = join(user.home, 'programs/petstore');
  writeFileSync(path, `#!/bin/sh\n${petstore}\n`, { mode: 0o755 });
  return user;
}

function envOf(home: string): Readonly<Record<string, string>> {
  return { ...bareEnv(home), PATH: `${home}/programs:/usr/bin:/bin`, LC_ALL: 'C.UTF-8' };
}

/** Types lines into a shell in a terminal; resolves to all that was on its screen. */
async function typeInto(
  home: string,
  { name, args, setup, source, file }: (typeof shells)[number],
  lines: readonly string[],
): Promise<string> {
  copyFileSync(`completions/${file}`, join(home, 'script'));
  writeFileSync(join(home, 'setup'), `${setup}\n${source}\n`);
  const terminal = openProgram(home, [name, ...args], {
    columns: 200,
    cwd: join(home, 'work'),
    env: { ...envOf(home), TERM: 'dumb' },
  });
  // Keys that arrive before the prompt go to the terminal, which acts on some of them.
  let count = 0;
  const enter = async (keys: string) => {
    count += 1;
    terminal.type(`${keys}; echo at-''${count}.\r`);
    await terminal.see(`at-${count}.`);
    await terminal.see('ready> ');
  };
  await enter(`${source.replace('script', 'setup')}`);
  for (const keys of lines) {
    if (keys.endsWith('\r')) await enter(keys.slice(0, -1));
    else terminal.type(keys);
  }
  await enter('true');
  terminal.type('exit\r');
  await terminal.exitCode;
  return terminal.output();
}

function callsIn(home: string): readonly string[] {
  return readFileSync(join(home, 'calls'), 'utf8').trimEnd().split('\n');
}

function filesIn(home: string): readonly string[] {
  return [...readdirSync(join(home, 'work')), ...(existsSync(join(home, 'x')) ? ['x'] : [])];
}
