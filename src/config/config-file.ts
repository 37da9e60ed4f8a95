import { chmodSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import type { Clock } from '../clock.js';
import { Failure } from '../failure.js';
import { isRecord, stripByteOrderMark } from '../format/json.js';
import { checkOthersCannotWrite, withLock, withWriteFailures } from './files.js';

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
  readonly check?: ((path: string) => void) | undefined;
  /** Imports `conf`; by default, with its listeners for signals. */
  readonly importModule?: <Module>(load: () => Promise<Module>) => Promise<Module>;
}

/**
 * Returns a config file without opening it. Only writing uses `conf` (temporary file, fsync, rename, mode 0600):
 * loading it takes longer than the rest of a command.
 */
export function openConfigFile(
  path: string,
  clock: Clock,
  { check, importModule = (load) => load() }: ConfigFileOptions = {},
): ConfigFile {
  const replace = async (edit: (content: ConfigContent) => ConfigContent) => {
    const content = readConfigContent(path);
    const newContent = edit(content);
    // Skips a needless write (fsync): processes that start together wait for this lock.
    if (newContent === content) return;
    const { default: Conf } = await importModule(() => import('conf'));
    const configName = basename(path, extname(path));
    const project = { projectName: 'petstore', projectSuffix: '' };
    const conf = new Conf({ cwd: dirname(path), configName, ...project, configFileMode: 0o600 });
    conf.store = newContent as Record<string, unknown>;
  };
  return {
    path,
    read: () => readConfigContent(path, check),
    update: (edit) => withWriteFailures(path, () => withLock(path, { clock }, () => replace(edit))),
  };
}

/** Returns the content of the file, `{}` if there is none. Throws a `Failure` if it is broken. */
export function readConfigContent(path: string, check: (path: string) => void = () => {}): ConfigContent {
  const content = parseContent(readText(path, check) ?? '{}');
  if (!isRecord(content)) throw notAnObject(path);
  for (const name of sectionNames) {
    if (!isRecord(content[name] ?? {})) throw notAnObject(`"${name}" in ${path}`);
  }
  return content;
}

function parseContent(text: string): unknown {
  try {
    return JSON.parse(stripByteOrderMark(text));
  } catch {
    // The message of the parser quotes the file, which may contain an API key.
    return undefined;
  }
}

function readText(path: string, check: (path: string) => void): string | undefined {
  try {
    check(path);
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // No file can exist below something that is not a directory, such as HOME=/dev/null.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (error instanceof Failure) throw error;
    throw broken(`cannot read ${path} (${code})`, 'check the owner and permissions of the file');
  }
}

function notAnObject(subject: string): Failure {
  return broken(`${subject} is not a JSON object`, 'fix or move the file, then retry');
}

function broken(message: string, hint: string): Failure {
  return new Failure('system', { code: 'broken_configuration', message, hint });
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
 * Returns a check for files with secrets. It makes a file that others can read private, and the directory `petstore` that
 * holds it, with a notice. It throws a `Failure` (system) for a file that others can write.
 */
export function createPermissionCheck(notice: (text: string) => void): (path: string) => void {
  const makePrivate = (path: string, mode: number) => {
    if ((statSync(path).mode & 0o077) === 0) return;
    chmodSync(path, mode);
    notice(`Changed the mode of ${path} to ${mode.toString(8)}, because other users could access it.`);
  };
  return (path) => {
    checkOthersCannotWrite(statSync(path), path);
    const directory = dirname(path);
    // A directory that the user chose may contain other files, so its mode stays.
    if (basename(directory) === 'petstore') makePrivate(directory, 0o700);
    makePrivate(path, 0o600);
  };
}
