import { Failure } from '../../src/failure.js';

/** What Ctrl-C ends a command with. */
export const interrupt = new Failure('canceled', {
  code: 'cancelled',
  message: 'ended by SIGINT',
  signal: 'SIGINT',
});
