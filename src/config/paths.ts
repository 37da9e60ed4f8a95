import { isAbsolute, join, sep } from 'node:path';
import { Failure } from '../failure.js';

/** Where petstore keeps its files on this machine. */
export interface Paths {
  readonly config: string;
  readonly credentials: string;
  /** The directory of the ledgers. */
  readonly quota: string;
  /** The directory of the journals of imports. */
  readonly imports: string;
  /** The directory of the embedded sandbox. */
  readonly sandbox: string;
  /** The database that `petstore serve` opens unless told otherwise. */
  readonly served: string;
}

/**
 * The paths of this user: all in `PETSTORE_CONFIG_DIR` where it is set, else by the XDG base directory
 * specification (relative values there are ignored, as it says), else below `%APPDATA%` on Windows.
 */
export function pathsOf(
  env: Readonly<Record<string, string | undefined>>,
  home: string | undefined,
  platform: string,
): Paths {
  const own = env.PETSTORE_CONFIG_DIR;
  const base = (variable: string, fallback: readonly string[]) => {
    if (own) return own;
    const chosen = env[variable];
    if (chosen && isAbsolute(chosen)) return below(chosen, 'petstore');
    const windows = platform === 'win32' ? env.APPDATA : undefined;
    if (windows) return below(windows, 'petstore');
    if (home === undefined) throw homeless();
    const place = platform === 'win32' ? ['AppData', 'Roaming'] : fallback;
    return below(home, ...place, 'petstore');
  };
  const config = base('XDG_CONFIG_HOME', ['.config']);
  const state = base('XDG_STATE_HOME', ['.local', 'state']);
  const data = base('XDG_DATA_HOME', ['.local', 'share']);
  return {
    config: below(config, 'config.json'),
    credentials: below(config, 'credentials.json'),
    quota: below(state, 'quota'),
    imports: below(state, 'imports'),
    sandbox: below(data, 'sandbox'),
    served: below(data, 'store.db'),
  };
}

/**
 * What `path.join` gives for a directory and names below it. Where there is nothing to shorten that is not asked: Node.js
 * would compile it for this alone, which takes one to two hundredths of a start.
 */
export function below(directory: string, ...names: readonly string[]): string {
  const isShort =
    sep === '/' &&
    !directory.startsWith('.') &&
    !['//', '/./', '/../'].some((part) => `${directory}/`.includes(part));
  return isShort ? [directory, ...names].join('/') : join(directory, ...names);
}

function homeless(): Failure {
  return new Failure('system', {
    code: 'no_home',
    message: 'this user has no home directory',
    hint: 'set HOME, or PETSTORE_CONFIG_DIR for the files of petstore alone',
  });
}
