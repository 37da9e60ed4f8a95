import { expect, test } from 'vitest';
import type { AppContext } from '../../../../src/app/context.js';
import type { ServerKeys } from '../../../../src/app/server-control.js';
import { newKeyResult } from '../../../../src/commands/serve/keys/new-key.js';
import { Secret } from '../../../../src/config/secret.js';

test('a new API key that cannot be saved after it was printed is named as not valid', async () => {
  const warnings: string[] = [];
  const context = {
    runtime: { terminal: { stdout: { isClosed: false } } },
    terminal: { notice: () => {}, warn: (text: string) => warnings.push(text) },
    settings: { output: 'json' },
  };
  const failure = new Error('the database is away');
  const newKey = { key: new Secret('pets_new'), prefix: 'pe', save: () => Promise.reject(failure) };
  const details = {
    limits: { perMinute: 1, perDay: 1 },
    plan: 'free',
    label: undefined,
    expiresAt: undefined,
  } as const;
  const result = newKeyResult(context as unknown as AppContext, { database: 'x' } as ServerKeys, newKey, details);
  await expect(result.kind === 'record' && result.onRendered?.()).rejects.toBe(failure);
  expect(warnings).toEqual(['The printed API key is not valid, because it was not saved.']);
});
