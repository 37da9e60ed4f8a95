import { expect, test } from 'vitest';
import { findPidSpace } from '../../src/config/pid-namespace.js';

test.runIf(process.platform === 'linux')(
  'processes of one start of a machine are told from those of others',
  () => {
    expect(findPidSpace()).toMatch(/^[0-9a-f]{8}-[0-9]+$/);
    expect(findPidSpace()).toBe(findPidSpace());
  },
);
