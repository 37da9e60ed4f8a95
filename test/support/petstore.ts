import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { inject, onTestFinished } from 'vitest';
import { checkContract } from './contract.js';

/** The result of a command. */
export interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
}

/** The environment and the input of a command. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** The working directory. */
  readonly cwd?: string;
}

/** A person with a home directory who runs commands. */
export interface User {
  readonly home: string;
  /** Runs the built binary. The time in a status line is replaced by a constant. */
  run(args: readonly string[], options?: RunOptions): Promise<Run>;
}

/** The Node.js that runs the binary: that of the tests, unless `nodes.long.test.ts` sets another. */
export const node = process.env.PETSTORE_TEST_NODE ?? process.execPath;

/** The path of the built program. */
export const binary = join(import.meta.dirname, '../../bin/petstore.js');

/** Returns a minimal environment with this home directory. */
export function bareEnv(home: string): Readonly<Record<string, string>> {
  return { HOME: home, PATH: process.env.PATH ?? '', TZ: 'UTC', XDG_CACHE_HOME: inject('codeCache') };
}

/** Returns an environment in which the binary loads this script first. */
export function preloadEnv(script: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--require ${script}` };
}

/** Creates a user with an empty home directory, which is deleted when the test ends. */
export function newUser(): User {
  const home = temporaryDirectory();
  return {
    home,
    run: async (args, options) => {
      const { stderr, ...rest } = await runBinary(home, args, options);
      return { ...rest, stderr: stderr.replace(/resets in [0-9dhms ]+/g, 'resets in …') };
    },
  };
}

/** Runs the built binary for the user with this home directory. */
async function runBinary(
  home: string,
  args: readonly string[],
  { env = {}, input = '', cwd }: RunOptions = {},
): Promise<Run> {
  const { stdout, stderr, exitCode } = await execa(node, [binary, ...args], {
    env: { ...bareEnv(home), ...env },
    extendEnv: false,
    ...(cwd !== undefined && { cwd }),
    input,
    reject: false,
    stripFinalNewline: false,
  });
  const result = { stdout, stderr, exitCode };
  await checkContract(args, env, result);
  return result;
}

/** Creates a directory that is removed when the test ends. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'petstore-'));
  // A process that just ended may leave files that its children still write.
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}

/** Copies petstore to a folder without optional packages and returns the folder. */
export function copyAlone(): string {
  const folder = temporaryDirectory();
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(join(binary, '../..', part), join(folder, part), { recursive: true });
  }
  return folder;
}

/** A running command that writes to pipes. */
export interface PipedRun {
  readonly child: ChildProcessWithoutNullStreams;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves to the complete output once the process has ended. */
  readonly ended: Promise<Omit<Run, 'exitCode'> & { readonly exitCode: number | null }>;
}

/** Runs the built binary with pipes and exposes its output while it runs. Kills it when the test ends. */
export function openPipes(
  { home }: Pick<User, 'home'>,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): PipedRun {
  const child = spawn(node, [binary, ...args], { env: { ...bareEnv(home), ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(async ([code]) => {
    await checkContract(args, env, { stdout, stderr, exitCode: code ?? undefined });
    return { exitCode: code as number | null, stdout, stderr };
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}
