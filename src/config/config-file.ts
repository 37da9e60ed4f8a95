import { chmodSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { Failure } from '../failure.js';
import { stripByteOrderMark } from '../format/json.js';
import type { Locks } from './lock.js';
import { makeDirectory } from './make-directory.js';

export type ConfigContent = Readonly<Record<string, unknown>>;

/** A JSON file of this user: read as it is, changed under a lock, so that no writer undoes another. */
export interface ConfigFile {
  readonly path: string;
  /** The object in the file, `{}` where there is no file. Fails (system) where it cannot be read. */
  read(): ConfigContent;
  /** Replaces the content by what `edit` makes of it, whole or not at all. */
  update(edit: (content: ConfigContent) => ConfigContent): Promise<void>;
}

/**
 * Opens a document; nothing is touched yet. `guard` looks at the file before it is read, and may fail. Reading is
 * plain, since conf would cost a command more than all else it does; writing is conf's: a temporary file, synced and
 * renamed, mode 0600.
 */
export function openConfigFile(
  path: string,
  locks: Locks,
  guard: (path: string) => void = () => {},
): ConfigFile {
  return {
    path,
    read: () => {
      guard(path);
      return readConfigContent(path);
    },
    update: (edit) =>
      writing(path, () =>
        locks.withLock(`${path}.lock`, async () => {
          const content = edit(readConfigContent(path));
          const { default: Conf } = await import('conf');
          protect(dirname(path));
          const conf = new Conf({
            cwd: dirname(path),
            configName: basename(path, extname(path)),
            projectName: 'petstore',
            projectSuffix: '',
            configFileMode: 0o600,
          });
          conf.store = content as Record<string, unknown>;
        }),
      ),
  };
}

/** Returns the content of the file, `{}` if there is none. Throws a `Failure` if it is broken. */
export function readConfigContent(path: string): ConfigContent {
  const text = readText(path);
  if (text === undefined) return {};
  try {
    const content = JSON.parse(stripByteOrderMark(text)) as unknown;
    if (isContent(content)) return content;
  } catch {
    // The parser's message quotes the file, which may hold a key.
  }
  throw new Failure('system', {
    code: 'broken_configuration',
    message: `${path} is not a JSON object`,
    hint: 'mend the file, or move it away and start afresh',
  });
}

/** A part of the configuration, empty where it is not there. Fails (system) where it is no object. */
export function getSection(content: ConfigContent, name: 'profiles' | 'settings'): ConfigContent {
  const { [name]: section = {} } = content;
  if (isContent(section)) return section;
  throw new Failure('system', {
    code: 'broken_configuration',
    message: `the kept ${name} are not an object`,
    hint: `mend "${name}" in the file that petstore config path names`,
  });
}

function isContent(value: unknown): value is ConfigContent {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The file's text, nothing where there is no file. What is no file, or no configuration, may never end. */
function readText(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (!stats.isFile()) throw unreadable(path, 'it is no file');
    if (stats.size > largest) throw unreadable(path, `it holds more than ${largest} bytes`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(path, (error as NodeJS.ErrnoException).code);
  }
}

const largest = 1024 * 1024;

async function writing(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure('system', {
      code: 'unwritable_configuration',
      message: `${path} cannot be written (${code ?? 'unknown reason'})`,
      hint: 'check the permissions and the free space of its directory, or set PETSTORE_CONFIG_DIR',
      cause: error,
    });
  }
}

/** Makes petstore's own directory private; one that a person named may hold other things, and is left. */
function protect(directory: string): void {
  makeDirectory(directory);
  const isOwn = basename(directory) === 'petstore';
  if (isOwn && (statSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);
}

function unreadable(path: string, code = 'unknown reason'): Failure {
  return new Failure('system', {
    code: 'unreadable_configuration',
    message: `${path} cannot be read (${code})`,
    hint: 'check its owner and its permissions',
  });
}

/**
 * Looks after a file that holds secrets: one that others can read is made private, and said so; one that
 * others can write, or that is somebody else's, may hold their key and is not used (system).
 */
export function createPermissionCheck(
  userId: number | undefined,
  notice: (text: string) => void,
): (path: string) => void {
  return (path) => {
    // Windows has no such modes.
    const found = userId === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    if (!found) return;
    const { mode, uid } = found;
    if (uid !== userId) throw foreign(path, 'belongs to another user', `chown it to yourself`);
    if ((mode & 0o022) !== 0) {
      throw foreign(path, 'can be written by others', `look at it, then chmod 600 ${path}`);
    }
    if ((mode & 0o077) === 0) return;
    chmodSync(path, 0o600);
    notice(`${path} could be read by others; it is private now`);
  };
}

function foreign(path: string, why: string, hint: string): Failure {
  return new Failure('system', { code: 'exposed_credentials', message: `${path} ${why}`, hint });
}
