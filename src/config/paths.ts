import { isAbsolute, join } from 'node:path';

/** Files and directories of this user. */
export type Paths = Readonly<ReturnType<typeof resolvePaths>>;

/**
 * Returns the paths of this user. `PETSTORE_CONFIG_DIR`, if set, holds every file. Otherwise the XDG base directory
 * specification applies (relative values are ignored, as it requires), then on Windows `%APPDATA%` for the configuration
 * and `%LOCALAPPDATA%` for state and data.
 */
export function resolvePaths(env: Readonly<Record<string, string | undefined>>, home: string, platform: string) {
  const resolveDirectory = (xdgVariable: string, defaultPath: string, windowsVariable = 'LOCALAPPDATA') => {
    if (env.PETSTORE_CONFIG_DIR) return join(env.PETSTORE_CONFIG_DIR);
    const xdgDirectory = env[xdgVariable];
    if (xdgDirectory && isAbsolute(xdgDirectory)) return join(xdgDirectory, 'petstore');
    const windowsDirectory = env[windowsVariable];
    if (platform === 'win32' && windowsDirectory) return join(windowsDirectory, 'petstore');
    const windowsPath = windowsVariable === 'APPDATA' ? 'AppData/Roaming' : 'AppData/Local';
    return join(home, platform === 'win32' ? windowsPath : defaultPath, 'petstore');
  };
  const config = resolveDirectory('XDG_CONFIG_HOME', '.config', 'APPDATA');
  const state = resolveDirectory('XDG_STATE_HOME', '.local/state');
  const data = resolveDirectory('XDG_DATA_HOME', '.local/share');
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
