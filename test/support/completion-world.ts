import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeCommands } from '../../src/generate.js';
import { temporaryDirectory } from './petstore.js';

export const outline = describeCommands();

/** A home and a working directory with a few files, where no program is found but head, and some that tell on who runs them. */
export interface World {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** A file with this text, by its path. */
  write(name: string, text: string | Buffer): string;
  /** A folder of petstore's with this configuration in it, by its path. */
  keep(name: string, config: string | Buffer): string;
  /** What ran though nothing should: petstore, node, or what was typed. */
  ran(): readonly string[];
}

export function openWorld(): World {
  const home = temporaryDirectory();
  const directory = join(home, 'work');
  const programs = join(home, 'programs');
  const write = (name: string, text: string | Buffer) => {
    const path = join(home, name);
    writeFileSync(path, text);
    return path;
  };
  for (const path of [directory, programs, join(directory, 'stock')]) mkdirSync(path);
  // What zsh knows of touch asks it for its version.
  const note = (name: string) => `[ "$1" = --version ] || : > '${home}/ran-${name}'`;
  for (const name of ['petstore', 'node', 'touch']) {
    chmodSync(write(`programs/${name}`, `#!/bin/sh\n${note(name)}\n`), 0o755);
  }
  symlinkSync(find('head') ?? '', join(programs, 'head'));
  for (const name of ['data.json', 'my pets.csv']) write(`work/${name}`, '');
  return {
    directory,
    env: { HOME: home, PATH: programs, TERM: 'dumb', LC_ALL: 'C.UTF-8' },
    write,
    keep: (name, config) => {
      mkdirSync(join(home, name));
      write(`${name}/config.json`, config);
      return join(home, name);
    },
    ran: () =>
      ['ran-petstore', 'ran-node', 'ran-touch', 'work/x', 'x'].filter((name) =>
        existsSync(join(home, name)),
      ),
  };
}

/** Where a program lies, if it is there. */
export function find(program: string): string | undefined {
  const { stdout } = spawnSync('/bin/sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' });
  return stdout.trim() || undefined;
}

/** Runs a script of a shell to its end; fails on anything that it writes to stderr. */
export function runShell(world: World, command: readonly string[], script: string): string {
  const [file = '', ...args] = command;
  const { stdout, stderr, error } = spawnSync(file, [...args, world.write('script', script)], {
    cwd: world.directory,
    env: world.env,
    encoding: 'utf8',
    timeout: 15_000,
  });
  if (error) throw error;
  if (stderr !== '') throw new Error(stderr);
  return stdout;
}

/** What is between lines that start with `#`, each part in order of its words, values without `--flag=`. */
export function answersIn(output: string): readonly (readonly string[])[] {
  return output
    .split(/^#.*\n/m)
    .slice(1)
    .map((part) => part.split('\n').filter((line) => line !== ''))
    .map((words) => [...new Set(words.map((word) => word.replace(/^--[^=]*=|\/$/g, '')))].sort());
}
