import { expect, test } from 'vitest';
import { listProfiles } from '../../src/config/profile.js';

test('a base URL of the sandbox in the config file is ignored', () => {
  const [sandbox] = listProfiles({ profiles: { sandbox: { baseUrl: 'https://store.example/v1', output: 'csv' } } });
  expect(sandbox).toEqual({ name: 'sandbox', output: 'csv' });
});
