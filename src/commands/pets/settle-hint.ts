import type { NewPet } from '../../api/pet.js';
import type { Client } from '../../client/client.js';
import { type GlobalFlags, getTargetFlags } from '../../config/settings.js';
import { Failure } from '../../failure.js';
import { isPrintablePath } from './command-words.js';

/**
 * Returns the error of a create with a hint that settles its outcome: the command sends the same request with the same
 * key, so that the service adds the pet only if it is missing. Other errors are returned as they are.
 */
export async function withSettleHint(
  error: unknown,
  {
    client,
    pet,
    idempotencyKey,
    flags,
  }: {
    readonly client: Client;
    readonly pet: NewPet;
    readonly idempotencyKey: string | undefined;
    readonly flags: GlobalFlags;
  },
): Promise<unknown> {
  const isUnknown = error instanceof Failure && error.kind === 'unknown-outcome' && error.details.status !== 201;
  if (!isUnknown || idempotencyKey === undefined || !isPrintablePath(pet.name)) return error;
  if (!(await client.idempotency?.findSupport())) return error;
  const fields = ['-f', `name=${pet.name}`, '-F', `categoryId=${pet.categoryId}`];
  const status = pet.status === undefined ? [] : ['-f', `status=${pet.status}`];
  const words = ['api', '/pets', '-X', 'POST', ...fields, ...status, '-H', `Idempotency-Key: ${idempotencyKey}`];
  const command = { words: [...words, ...getTargetFlags(flags)] };
  return new Failure(error.kind, {
    ...error.details,
    hint: ['run ', command, ' to add the pet if it is missing'],
  });
}
