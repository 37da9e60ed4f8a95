import { expect, test } from 'vitest';
import { collectFaults, collectHosts, parseTime } from '../../../src/commands/serve/flags.js';
import type { FaultFlag } from '../../../src/server/server-options.js';

test.each([
  ['2030-12-06', '2030-12-06T00:00:00.000Z'],
  ['2030-12-06T08:30', '2030-12-06T08:30:00.000Z'],
  ['2030-12-06T08:30:15.5Z', '2030-12-06T08:30:15.500Z'],
  ['2030-12-06T08:30:00+02:00', '2030-12-06T06:30:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
])('parseTime reads %s as %s', (text, time) => {
  expect(new Date(parseTime(text)).toISOString()).toBe(time);
});

test.each([
  ...['', 'tomorrow', '2030', '2030-13-01', '2030-02-31', '2030-12-06T25:00', '06.12.2030'],
  ...['1969-12-31', '2030-12-06 08:30', '2030-12-06Z0'],
])('parseTime rejects "%s"', (text) => {
  expect(() => parseTime(text)).toThrow('--clock must be an ISO 8601 date or time');
});

test.each([
  ['store.example', ['store.example']],
  ['10.0.0.7', ['10.0.0.7']],
  ['::1', ['::1']],
])('collectHosts adds %s to the hosts before it', (text, hosts) => {
  expect(collectHosts(text, ['first'])).toEqual(['first', ...hosts]);
});

test.each(['', 'https://store.example', 'store.example:80', 'a b', 'ä.example', 'a:b'])(
  'collectHosts rejects "%s"',
  (text) => {
    expect(() => collectHosts(text)).toThrow('--allow-host must be a host name or an IP address');
  },
);

test.each<[string, FaultFlag]>([
  ['503:0.05', { faults: [{ kind: 503, probability: 0.05 }] }],
  ['reset:1', { faults: [{ kind: 'reset', probability: 1 }] }],
  ['seed:42', { faults: [], seed: 42 }],
  ['400:0,seed:4294967295', { faults: [{ kind: 400, probability: 0 }], seed: 4_294_967_295 }],
])('collectFaults parses %s', (text, faults) => {
  expect(collectFaults(text)).toEqual(faults);
});

test('collectFaults adds to earlier faults and replaces the seed', () => {
  const before = { faults: [{ kind: 500, probability: 0.1 }], seed: 1 } as const;
  expect(collectFaults('reset:0.2,seed:2', before)).toEqual({
    faults: [...before.faults, { kind: 'reset', probability: 0.2 }],
    seed: 2,
  });
});

test.each([
  ...['', '503', '200:0.5', '600:0.5', '503:1.1', '503:-1', '503:'],
  ...['seed:1.5', 'seed:4294967296', 'lost:0.1'],
])('collectFaults rejects "%s"', (text) => {
  expect(() => collectFaults(text)).toThrow(
    '--fault must be <status>:<probability>, reset:<probability> or seed:<number>',
  );
});
