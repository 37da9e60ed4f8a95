import { dirname } from 'node:path';
import type { Paths } from '../local/paths.js';
import { usage } from '../ports/failure.js';
import { makeDataDirectory } from './database-failure.js';

/** Where the database of `serve` is: as told, else in the data directory, which is made. */
export function databasePlace(told: string | undefined, paths: Paths): string {
  if (told === '') throw usage('invalid_flag', '--database must name a file');
  if (told === undefined) makeDataDirectory(dirname(paths.served));
  return told ?? paths.served;
}
