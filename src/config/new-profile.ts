import { usageError } from '../failure.js';
import { checkProfileName, type Profiles } from './profiles.js';

/** Throws a usage failure if a profile cannot be created with this name. */
export function checkNewProfileName({ list }: Pick<Profiles, 'list'>, name: string): void {
  checkProfileName(name);
  if (!list().some((profile) => profile.name === name)) return;
  throw usageError('invalid_argument', `the profile ${name} exists already`, 'choose another name');
}
