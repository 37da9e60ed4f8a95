import { type Deprecation, getPet } from '../../contract/operations.js';
import { isPetId } from '../../contract/pet.js';
import type { Context } from '../../ports/context.js';
import { Failure } from '../../ports/failure.js';
import type { Shown } from '../../ports/view.js';
import { petColumns } from './columns.js';

/** One pet by its id, with a warning that the service will remove the operation. */
export async function get(context: Context, petId: string | undefined): Promise<Shown> {
  if (petId === undefined) throw invalid('pass the id of a pet: petstore pets get 1');
  if (!isPetId(petId)) throw invalid('the id of a pet is a 64-bit whole number, such as 42');
  context.checkFields(petColumns);
  context.warning(deprecation(context.clock.now()));
  const { value } = await (await context.client()).call(getPet, { petId });
  return { kind: 'record', columns: petColumns, record: value };
}

const day = 86_400_000;

function deprecation(now: number): string {
  const { removal } = getPet.deprecated as Deprecation;
  const days = Math.ceil((removal - now) / day);
  const when =
    days > 0
      ? `the service removes it on 5 December 2030, in ${days} ${days === 1 ? 'day' : 'days'}`
      : 'the service removed it on 5 December 2030';
  return `pets get is deprecated: ${when}; use petstore pets list --status instead`;
}

function invalid(message: string): Failure {
  return new Failure('usage', { code: 'invalid_pet_id', message });
}
