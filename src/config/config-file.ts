import { chmodSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import type { ErrorCode } from '../error-codes.js';
import { Failure } from '../failure.js';
import { isRecord, stripByteOrderMark } from '../format/json.js';
import { checkOthersCannotWrite, explainUnwritable, exposedFile, type Locks, makeDirectory } from './files.js';

export type ConfigContent = Readonly<Record<string, unknown>>;

/** A JSON file of this user. A lock serializes changes, so that no writer overwrites those of another. */
export interface ConfigFile {
  readonly path: string;
  /** Returns the object in the file, `{}` without a file. Throws a `Failure` (system) if it is unreadable. */
  read(): ConfigContent;
  /** Atomically replaces the content by the result of `edit`. Writes nothing if `edit` returns its argument. */
  update(edit: (content: ConfigContent) => ConfigContent): Promise<void>;
}

interface ConfigFileOptions {
  /** Runs before each read and may throw. */
  readonly check?: (path: string) => void;
  /** Imports `conf`; by default, with its listeners for signals. */
  readonly importModule?: <Module>(load: () => Promise<Module>) => Promise<Module>;
}

/**
 * Returns a config file without opening it. Only writing uses `conf` (temporary file, fsync, rename, mode 0600):
 * loading it takes longer than the rest of a command.
 */
export function openConfigFile(path: string, locks: Locks, options: ConfigFileOptions = {}): ConfigFile {
  return {
    path,
    read: () => readConfigContent(path, options),
    update: async (edit) => {
      try {
        await locks.withLock(`${path}.lock`, async () => {
          const content = readConfigContent(path);
          const newContent = edit(content);
          // Skips a needless write (fsync): processes that start together wait for this lock.
          if (newContent !== content) await write(path, newContent, options);
        });
      } catch (error) {
        throw error instanceof Failure ? error : toWriteFailure(path, error);
      }
    },
  };
}

async function write(
  path: string,
  content: ConfigContent,
  { importModule = (load) => load() }: ConfigFileOptions,
): Promise<void> {
  const { default: Conf } = await importModule(() => import('conf'));
  makePrivateDirectory(dirname(path));
  const conf = new Conf({
    cwd: dirname(path),
    configName: basename(path, extname(path)),
    projectName: 'petstore',
    projectSuffix: '',
    configFileMode: 0o600,
  });
  conf.store = content as Record<string, unknown>;
}

/** A directory that the user chose may contain other files, so its mode stays. */
function makePrivateDirectory(directory: string): void {
  makeDirectory(directory);
  const isOwn = basename(directory) === 'petstore';
  if (isOwn && (statSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);
}

/** Returns the content of the file, `{}` if there is none. Throws a `Failure` if it is broken. */
export function readConfigContent(path: string, options: ConfigFileOptions = {}): ConfigContent {
  const text = readText(path, options);
  if (text === undefined) return {};
  const content = parseContent(text);
  if (!isRecord(content)) throw broken(path);
  const invalid = sectionNames.find((name) => content[name] !== undefined && !isRecord(content[name]));
  if (invalid) throw broken(`"${invalid}" in ${path}`);
  return content;
}

function broken(subject: string): Failure {
  return systemFailure('broken_configuration', `${subject} is not a JSON object`, fixHint);
}

const fixHint = 'fix or move the file, then retry';

function parseContent(text: string): unknown {
  try {
    return JSON.parse(stripByteOrderMark(text));
  } catch {
    // The message of the parser quotes the file, which may contain an API key.
    return undefined;
  }
}

const maxBytes = 1024 * 1024;

/** Reads regular files of a limited size only: a device or pipe might never end. */
function readText(path: string, { check }: ConfigFileOptions): string | undefined {
  try {
    check?.(path);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (!stats.isFile()) throw unreadable(path, 'not a regular file', `move ${path}, then retry`);
    if (stats.size > maxBytes) throw unreadable(path, `larger than ${maxBytes} bytes`, fixHint);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    // No file can exist below something that is not a directory, such as HOME=/dev/null.
    if (code === 'ENOTDIR') return undefined;
    throw unreadable(path, code);
  }
}

const sectionNames = ['keys', 'profiles', 'settings'] as const;
type SectionName = (typeof sectionNames)[number];

/** Returns a section of the content, empty if it is missing. */
export function getSection(content: ConfigContent, name: SectionName): ConfigContent {
  return (content[name] ?? {}) as ConfigContent;
}

/** Returns the content with another value of a member in a section; without the member if the value is undefined. */
export function withMember(content: ConfigContent, section: SectionName, key: string, value: unknown): ConfigContent {
  const { [key]: _previous, ...others } = getSection(content, section);
  return { ...content, [section]: value === undefined ? others : { ...others, [key]: value } };
}

/**
 * Returns a check for files with secrets. It makes a file that others can read private, with a notice. It throws
 * a `Failure` (system) for a file that others own or can write, since it may contain someone else's API key.
 */
export function createPermissionCheck(
  userId: number | undefined,
  notice: (text: string) => void,
): (path: string) => void {
  return (path) => {
    // Windows has no file modes.
    const stats = userId === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    if (!stats) return;
    const { mode, uid } = stats;
    if (uid !== userId) throw exposedFile(path, 'belongs to another user');
    checkOthersCannotWrite(stats, path);
    if ((mode & 0o077) === 0) return;
    chmodSync(path, 0o600);
    notice(`Changed the mode of ${path} to 600, because other users could read it.`);
  };
}

function unreadable(path: string, reason: string, hint = 'check the owner and permissions of the file'): Failure {
  return systemFailure('broken_configuration', `cannot read ${path} (${reason})`, hint);
}

function toWriteFailure(path: string, cause: unknown): Failure {
  const { reason, hint } = explainUnwritable(path, cause);
  return systemFailure('cannot_write', `cannot write ${path} ${reason}`, hint, cause);
}

function systemFailure(code: ErrorCode, message: string, hint: string, cause?: unknown): Failure {
  return new Failure('system', { code, message, hint, cause });
}
