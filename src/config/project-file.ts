import { Failure, type Hint, usageError } from '../failure.js';
import { suggestSimilar } from '../format/suggest.js';
import { type ConfigContent, readConfigContent } from './config-file.js';
import { profileNamePattern } from './profile.js';

/** A `.petstore.json`, which names the profile for a directory and everything below it. */
export interface ProjectFile {
  readonly path: string;
  readonly profile?: string;
}

/** Reads a `.petstore.json`. Throws a usage failure if it is broken or contains anything but a profile. */
export function readProjectFile(path: string): ProjectFile {
  const content = readContent(path);
  const other = Object.keys(content).find((name) => name !== 'profile');
  if (other !== undefined) {
    const hint = suggestSimilar(other, ['profile']) ?? 'remove the member';
    throw invalidFile(`${path} has the member "${other}", but may only name a "profile"`, hint);
  }
  const { profile } = content;
  if (profile === undefined) return { path };
  if (typeof profile === 'string' && profileNamePattern.test(profile)) return { path, profile };
  throw invalidFile(`"profile" in ${path} must be the name of a profile`, 'fix the file, or pass --profile');
}

function readContent(path: string): ConfigContent {
  try {
    return readConfigContent(path);
  } catch (error) {
    throw error instanceof Failure ? invalidFile(error.message, error.details.hint) : error;
  }
}

function invalidFile(message: string, hint: Hint | undefined): Failure {
  return usageError('invalid_project_file', message, hint);
}
