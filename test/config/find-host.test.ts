import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { findHost } from '../../src/config/find-host.js';

test.skipIf(process.platform !== 'linux')('the host on Linux is the machine id, or different in each container', () => {
  const isContainer = readlinkSync('/proc/self/ns/pid') !== 'pid:[4026531836]';
  const expected = isContainer ? /^\S+-\d+$/ : new RegExp(`^(${readMachineId()}|${hostname()})$`);
  expect(findHost('linux')).toMatch(expected);
  expect(findHost('linux')).toBe(findHost('linux'));
});

test.skipIf(process.platform === 'darwin')('the host is the hostname if the system has no better name', () => {
  expect(findHost('win32')).toBe(hostname());
  expect(findHost('darwin')).toBe(hostname());
});

function readMachineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim();
  } catch {
    return hostname();
  }
}
