import type { Settings } from '../ports/settings.js';

/** What requests go to, in words: the profile, or the host where a base URL replaced it. */
export function destinationOf({ profile, baseUrl }: Settings): string {
  return baseUrl === undefined ? profile : new URL(baseUrl).host;
}
