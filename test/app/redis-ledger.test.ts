import { expect, test } from 'vitest';
import { readPidNamespace } from '../../src/app/redis-ledger.js';

test.runIf(process.platform === 'linux')('identifies the PID namespace by boot id and number', () => {
  expect(readPidNamespace()).toMatch(/^[0-9a-f]{8}-[0-9]+$/);
  expect(readPidNamespace()).toBe(readPidNamespace());
});
