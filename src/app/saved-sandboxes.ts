import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createAtomicFile } from '../config/atomic-file.js';
import { makeDirectory } from '../config/lock.js';
import type { Paths } from '../config/paths.js';
import { profileNamePattern } from '../config/profile.js';
import { Failure, usageError } from '../failure.js';
import { suggestSimilar } from '../format/suggest.js';
import { parseSandboxState, type SandboxState } from '../server/sandbox-state.js';
import type { Runtime } from './runtime.js';

/** Returns the names of the saved states of the sandbox, sorted. */
export function listSavedSandboxes(paths: Paths): readonly string[] {
  const directory = getDirectory(paths);
  if (!existsSync(directory)) return [];
  return readDirectory(directory)
    .filter((file) => file.endsWith(extension))
    .map((file) => file.slice(0, -extension.length))
    .filter((name) => profileNamePattern.test(name))
    .sort();
}

function readDirectory(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure('system', {
      code: 'unwritable_data',
      message: `cannot read ${path} (${code === 'ENOTDIR' ? 'not a directory' : code})`,
      hint: code === 'ENOTDIR' ? `move ${path}` : 'check the permissions of the directory',
      cause: error,
    });
  }
}

/** Throws a usage error if a state cannot be saved under this name. */
export function checkNewSavedSandbox(
  paths: Paths,
  { name, force }: { readonly name: string; readonly force: boolean },
): void {
  if (!profileNamePattern.test(name)) {
    throw usageError(
      'invalid_sandbox_name',
      'the name of a saved sandbox must have 1 to 64 letters, digits, - or _, and start with a letter or digit',
    );
  }
  if (force || !existsSync(getFilePath(paths, name))) return;
  throw usageError('file_exists', `the saved sandbox ${name} already exists`, 'choose another name, or pass --force');
}

/** Saves a state under a name: completely or not at all. */
export async function writeSavedSandbox(
  paths: Paths,
  { name, text, force }: { readonly name: string; readonly text: string; readonly force: boolean },
  { lockOwner, clock }: Runtime,
): Promise<void> {
  makeDirectory(getDirectory(paths));
  const file = await createAtomicFile(getFilePath(paths, name), { force, clock, ...lockOwner });
  try {
    await file.write(text);
    await file.commit();
  } finally {
    await file.discard();
  }
}

/** Reads a saved state. Throws a usage error if the name is unknown, and a failure (system) if the file is damaged. */
export function readSavedSandbox(paths: Paths, name: string): SandboxState {
  const names = listSavedSandboxes(paths);
  if (!names.includes(name)) {
    const status = { words: ['sandbox', 'status'] };
    const hint = suggestSimilar(name, names) ?? ['run ', status, ' to list the saved sandboxes'];
    throw usageError('unknown_saved_sandbox', `there is no saved sandbox "${name}"`, hint);
  }
  const path = getFilePath(paths, name);
  // A device or pipe might never end.
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile();
  const state = isFile ? parseSandboxState(readFileSync(path, 'utf8')) : undefined;
  if (state) return state;
  throw new Failure('system', {
    code: 'damaged_saved_sandbox',
    message: `the saved sandbox ${path} is damaged`,
    hint: `delete the file, then run petstore sandbox save ${name}`,
  });
}

function getFilePath(paths: Paths, name: string): string {
  return join(getDirectory(paths), `${name}${extension}`);
}

function getDirectory({ sandbox }: Paths): string {
  return join(sandbox, 'saved');
}

const extension = '.json';
