import type { AppContext } from '../app/context.js';
import { findProject } from '../config/profiles.js';

/** Warns if the environment or a `.petstore.json` selects another profile than `name`, the saved one. */
export function warnIfOverridden({ terminal }: AppContext, name: string, override: ProfileOverride | undefined): void {
  if (!override || override.profile === name) return;
  const { profile, source, removal } = override;
  terminal.warn(`${source} still selects profile ${profile}; change or ${removal} it to use ${name}`);
}

interface ProfileOverride {
  readonly profile: string;
  /** The environment variable or the path of the `.petstore.json`. */
  readonly source: string;
  /** How to remove the source. */
  readonly removal: 'unset' | 'delete';
}

/** Returns what selects a profile instead of the saved one if no flag does; undefined if nothing does. */
export async function findProfileOverride({ runtime }: AppContext): Promise<ProfileOverride | undefined> {
  const variable = 'PETSTORE_PROFILE';
  const { [variable]: named } = runtime.env;
  if (named) return { profile: named, source: variable, removal: 'unset' };
  // A file that cannot be read selects no profile. Commands report it unless a flag selects one.
  const ignore = () => {};
  const project = await findProject({ ...runtime, onIgnored: ignore, onProblem: ignore });
  if (project?.profile === undefined) return undefined;
  return { profile: project.profile, source: project.path, removal: 'delete' };
}
