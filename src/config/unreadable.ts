import { type Failure, usageError } from '../failure.js';

/** An input that cannot be read (usage), for the error code of Node.js or a reason in words. */
export function unreadable(name: string, reason: string): Failure {
  return usageError('unreadable_input', `${name} cannot be read: ${reasons.get(reason) ?? reason}`);
}

const reasons = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'it is a directory'],
  ['EACCES', 'this user may not read it'],
]);
