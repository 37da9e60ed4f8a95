import { expect, test } from 'vitest';
import { readPidNamespace } from '../../src/app/shared-quota-store.js';

test.runIf(process.platform === 'linux')('identifies the PID namespace by boot id and number', () => {
  expect(readPidNamespace('linux')).toMatch(/^[0-9a-f]{8}-[0-9]+$/);
  expect(readPidNamespace('linux')).toBe(readPidNamespace('linux'));
});

test('reads no files for the PID namespace outside Linux', () => {
  expect(readPidNamespace('win32')).toBeUndefined();
});
