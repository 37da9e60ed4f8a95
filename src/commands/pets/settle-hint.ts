import type { NewPet } from '../../api/pet.js';
import type { Client } from '../../client/client.js';
import { type GlobalFlags, getTargetFlags } from '../../config/settings.js';
import { type Command, Failure } from '../../failure.js';
import { findRepeatableFailure, type SentKey } from '../find-repeatable-failure.js';
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
    sentKey,
    now,
    flags,
  }: {
    readonly client: Client;
    readonly pet: NewPet;
    readonly sentKey: SentKey;
    /** Milliseconds since the Unix epoch. */
    readonly now: number;
    readonly flags: GlobalFlags;
  },
): Promise<unknown> {
  const repeatable = await findRepeatableFailure(error, client, sentKey, now);
  if (!repeatable || repeatable.failure.details.effect === 'made' || !isPrintablePath(pet.name)) return error;
  const { failure, timeLeft } = repeatable;
  const fields = ['-f', `name=${pet.name}`, '-F', `categoryId=${pet.categoryId}`];
  const status = pet.status === undefined ? [] : ['-f', `status=${pet.status}`];
  const words = ['api', '/pets', '-X', 'POST', ...fields, ...status, '-H', `Idempotency-Key: ${sentKey.key}`];
  const command: Command = { words: [...words, ...getTargetFlags(flags)], isNext: true };
  return new Failure(failure.kind, {
    ...failure.details,
    hint: ['run ', command, ` to add the pet if it is missing, within ${timeLeft}`],
  });
}
