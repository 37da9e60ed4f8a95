import type { JobControl } from '../../src/terminal/job-control.js';

/** The job control of a process that is never stopped. */
export const foregroundJob: JobControl = {
  suspend: async () => {},
  stopInBackground: () => {},
};
