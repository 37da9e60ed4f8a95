import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import type { AppContext } from '../../src/app/context.js';
import type { ServerKeys } from '../../src/app/server-control.js';
import { openServerKeys } from '../../src/app/server-keys.js';
import { createRedactor } from '../../src/config/secret.js';
import { fakeClock } from '../support/clock.js';
import { temporaryDirectory } from '../support/petstore.js';

const ci = { plan: 'free', limits: plans.free, label: 'ci', expiresAt: undefined } as const;

/** Opens the API keys of a database. */
async function open(database: string): Promise<ServerKeys> {
  const context = {
    clock: fakeClock(),
    config: { paths: {} },
    runtime: { nodeVersion: process.versions.node, redactor: createRedactor() },
    terminal: { notice: () => {} },
    onClose: (close: () => Promise<void>) => onTestFinished(close),
  };
  return openServerKeys({ database, create: true }, context as unknown as AppContext);
}

test.each<[string, (keys: ServerKeys, other: ServerKeys) => Promise<unknown>, string]>([
  [
    'changes no key that another process has revoked',
    async (keys, other) => {
      const [key] = await keys.list();
      if (!key) return;
      await other.revoke(key);
      await keys.update(key, { label: 'deploy' });
    },
    'another process changed the API keys at the same time, so nothing was changed',
  ],
  [
    'replaces no key that another process has revoked',
    async (keys, other) => {
      const [key] = await keys.list();
      if (!key) return;
      const successor = keys.rotate(key, 0);
      await other.revoke(key);
      await successor.save();
    },
    'another process changed the API keys at the same time, so nothing was changed',
  ],
  [
    'saves no key whose label another process has used',
    async (keys, other) => {
      const details = { ...ci, label: 'deploy' };
      const key = await keys.create(details);
      await (await other.create(details)).save();
      await key.save();
    },
    'has the label deploy already',
  ],
])('%s', async (_, change, message) => {
  const database = join(temporaryDirectory(), 'store.db');
  const [keys, other] = [await open(database), await open(database)];
  await (await keys.create(ci)).save();
  await expect(change(keys, other)).rejects.toThrow(message);
});
