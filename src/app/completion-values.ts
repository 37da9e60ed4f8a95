import type { CompletionValues } from '../commands/completion/complete.js';
import { readConfigContent } from '../config/config-file.js';
import { resolvePaths } from '../config/paths.js';
import { builtInProfiles, listProfiles } from '../config/profile.js';
import { catchFailure } from '../failure.js';
import { isPostgresUrl, mayContainPassword } from '../server/postgres-url.js';
import type { Runtime } from './runtime.js';

/** Returns the values that completions find on this machine. */
export function openCompletionValues({
  env,
  home,
  platform,
  nodeVersion,
}: Pick<Runtime, 'env' | 'home' | 'platform' | 'nodeVersion'>): CompletionValues {
  const paths = () => resolvePaths(env, home, platform);
  return {
    profileNames: () =>
      catchFailure(() => listProfiles(readConfigContent(paths().config)).map(({ name }) => name)) ?? builtInProfiles,
    keyLabels: async (database) => {
      // The shell passes the word as typed, before it expands `~`.
      const given = database?.replace(/^~(?=\/)/, home ?? '~');
      const path = given ?? (env.PETSTORE_SERVE_DATABASE || paths().served);
      if (path === ':memory:' || isPostgresUrl(path) || mayContainPassword(path)) return [];
      const { readKeyLabels } = await import('../server/sqlite.js');
      return readKeyLabels(path, nodeVersion);
    },
  };
}
