import type { Echo } from '../../src/terminal/echo.js';
import type { JobControl } from '../../src/terminal/job-control.js';

/** The job control of a process that is never stopped. */
export const foregroundJob: JobControl = { add: () => () => {}, isForeground: async () => true };

/** The echo of a stream that is no terminal. */
export const noEcho: Echo = { disable: () => {}, enable: () => {} };
