import { expect, test } from 'vitest';
import { openClients } from '../../src/app/clients.js';
import { createClosers } from '../../src/app/closers.js';
import type { Surroundings } from '../../src/app/runtime.js';
import type { TargetOptions } from '../../src/config/target.js';
import { Failure } from '../../src/failure.js';

const ended = new Failure('canceled', { code: 'cancelled', message: 'ended by SIGINT' });

/** Clients of a command that a signal has ended already. */
function newClients(settings: Partial<Surroundings['settings']> = {}) {
  const world = { signal: AbortSignal.abort(ended), hold: () => () => {} };
  const choices = () => {
    throw new Error('nothing is to be decided');
  };
  return openClients(
    choices as () => TargetOptions,
    { world, settings } as unknown as Surroundings,
    createClosers(),
  );
}

test('a signal is no failure of a command that asked no service', () => {
  const { throwIfAborted, reached } = newClients();
  expect(throwIfAborted()).toBeUndefined();
  expect(reached()).toBeUndefined();
});

test('many requests are not shown as one of curl, and nothing is decided for them', async () => {
  const { bulk } = newClients({ curl: true });
  await expect(bulk({ onWait: () => () => {} })).rejects.toMatchObject({
    kind: 'usage',
    message: 'an import is many requests, and --curl shows one',
  });
});
