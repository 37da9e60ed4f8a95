import type { CompletionValues } from '../commands/complete/candidates.js';
import { readContent } from '../local/document.js';
import { pathsOf } from '../local/paths.js';
import { listOf } from '../local/profiles.js';
import { tolerate } from '../ports/failure.js';
import { builtInProfiles } from '../ports/profile.js';
import { isPostgres, looksLikeAddress } from '../service/postgres-address.js';

interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string | undefined;
  readonly platform: string;
  readonly nodeVersion: string;
}

/** Returns the values that completions find on this machine. */
export function openCompletionValues({
  env,
  home,
  platform,
  nodeVersion,
}: Machine): CompletionValues {
  const paths = () => pathsOf(env, home, platform);
  return {
    profileNames: () =>
      tolerate(() => listOf(readContent(paths().config)).map(({ name }) => name)) ??
      builtInProfiles,
    keyLabels: async (database) => {
      // The shell passes the word as typed, before it expands `~`.
      const path = database?.replace(/^~(?=\/)/, home ?? '~') ?? paths().served;
      if (path === ':memory:' || isPostgres(path) || looksLikeAddress(path)) return [];
      const { readKeyLabels } = await import('../service/key-labels.js');
      return readKeyLabels(path, nodeVersion);
    },
  };
}
