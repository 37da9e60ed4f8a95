import { Failure } from '../../src/failure.js';

/** The failure for Ctrl-C. */
export const interrupt = new Failure('canceled', {
  code: 'cancelled',
  message: 'canceled',
  signal: 'SIGINT',
});
