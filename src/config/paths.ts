import { isAbsolute, join } from 'node:path';

/** Files and directories of this user. */
export type Paths = Readonly<ReturnType<typeof resolvePaths>>;

/**
 * Returns the paths of this user. `PETSTORE_CONFIG_DIR`, if set, holds every file. Otherwise the XDG base directory
 * specification applies (relative values are ignored, as it requires), then on Windows `%APPDATA%` for the configuration
 * and `%LOCALAPPDATA%` for state and data.
 */
export function resolvePaths(env: Readonly<Record<string, string | undefined>>, home: string, platform: string) {
  const resolveDirectory = (xdgVariable: string, windowsVariable: string, defaultPath: string) => {
    if (env.PETSTORE_CONFIG_DIR) return join(env.PETSTORE_CONFIG_DIR);
    const variables = platform === 'win32' ? [xdgVariable, windowsVariable] : [xdgVariable];
    const base = variables.map((name) => env[name] ?? '').find(isAbsolute);
    return join(base ?? join(home, defaultPath), 'petstore');
  };
  const config = resolveDirectory('XDG_CONFIG_HOME', 'APPDATA', '.config');
  const state = resolveDirectory('XDG_STATE_HOME', 'LOCALAPPDATA', '.local/state');
  const data = resolveDirectory('XDG_DATA_HOME', 'LOCALAPPDATA', '.local/share');
  return {
    config: join(config, 'config.json'),
    credentials: join(config, 'credentials.json'),
    /** Directory of the local quota states. */
    quota: join(state, 'quota'),
    /** Directory of the import journals. */
    imports: join(state, 'imports'),
    /** Directory of the embedded sandbox. */
    sandbox: join(data, 'sandbox'),
    /** Default database of `petstore serve`. */
    served: join(data, 'store.db'),
  };
}
