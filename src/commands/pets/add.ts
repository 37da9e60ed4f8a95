import { createPet } from '../../contract/operations.js';
import { isBlank, isInt64, type NewPet, type PetStatus } from '../../contract/pet.js';
import type { Context } from '../../ports/context.js';
import { Failure } from '../../ports/failure.js';
import type { Shown } from '../../ports/view.js';
import { exactNumber } from '../../text/json.js';
import { petColumns } from './columns.js';

export interface AddOptions {
  readonly name?: string;
  readonly categoryId?: string;
  readonly status?: PetStatus;
  readonly from?: string;
  readonly dryRun?: true;
}

/** Adds one pet, described by flags or by a JSON document, and shows it as the service stored it. */
export async function add(context: Context, options: AddOptions): Promise<Shown> {
  const columns = options.dryRun ? petColumns.filter(({ key }) => key !== 'id') : petColumns;
  context.checkFields(columns);
  const pet = options.from === undefined ? fromFlags(options) : await fromFile(context, options);
  if (options.dryRun) {
    context.notice('nothing was sent (--dry-run)');
    return { kind: 'record', columns, record: { ...pet, categoryId: exactNumber(pet.categoryId) } };
  }
  const { value } = await (await context.client()).call(createPet, pet);
  return { kind: 'record', columns, record: value };
}

function fromFlags({ name, categoryId, status }: AddOptions): NewPet {
  if (name === undefined) throw invalid('missing_flag', 'pass --name with the name of the pet');
  if (categoryId === undefined) {
    throw invalid('missing_flag', 'pass --category-id with the category of the pet');
  }
  if (isBlank(name)) throw invalid('invalid_flag', '--name must not be blank');
  if (!name.isWellFormed()) throw invalid('invalid_flag', '--name must be valid Unicode text');
  if (!isInt64(categoryId)) {
    throw invalid('invalid_flag', '--category-id must be a 64-bit whole number, such as 1');
  }
  return { name, categoryId, ...(status && { status }) };
}

async function fromFile(context: Context, { from, ...flags }: AddOptions): Promise<NewPet> {
  const other = (['name', 'categoryId', 'status'] as const).find((key) => flags[key] !== undefined);
  if (other)
    throw invalid('invalid_flag', '--from takes the place of --name, --category-id and --status');
  const { readNewPet } = await import('./new-pet.js');
  return readNewPet(context, from as string);
}

function invalid(code: string, message: string): Failure {
  return new Failure('usage', { code, message });
}
