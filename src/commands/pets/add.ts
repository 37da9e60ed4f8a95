import { createPet } from '../../api/operations.js';
import type { NewPet, PetRecord, PetStatus } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import type { Client } from '../../client/client.js';
import { getTargetLabel } from '../../config/settings.js';
import { Failure, usageError } from '../../failure.js';
import { formatExactNumber, toExactNumber } from '../../format/json.js';
import { findCategoryProblem, findNameProblem } from './check-new-pet.js';
import { petColumns } from './list.js';

export interface AddOptions {
  readonly name?: string;
  readonly categoryId?: string;
  readonly status?: PetStatus;
  readonly from?: string;
  readonly dryRun?: true;
}

/** Adds one pet from flags, prompts or a JSON document, and returns it as the service stored it. */
export async function add(context: AppContext, options: AddOptions): Promise<CommandResult> {
  const columns = options.dryRun ? petColumns.filter(({ key }) => key !== 'id') : petColumns;
  context.terminal.checkFields(columns);
  if (!options.dryRun) await context.connections.checkWriteAllowed();
  let pet = await (options.from === undefined ? readFlags : readFile)(context, options);
  if (options.dryRun) {
    context.terminal.notice('Nothing was sent (--dry-run).');
    const record = { ...pet, categoryId: toExactNumber(pet.categoryId) };
    return { kind: 'record', columns, record };
  }
  const client = await context.client();
  let value: PetRecord | undefined;
  while (!value) {
    try {
      value = await create(context, client, pet);
    } catch (error) {
      if (!wasPrompted(options) || !(error instanceof Failure) || error.kind !== 'rejected') throw error;
      context.terminal.fail(`the service rejected the pet: ${error.message}`);
      const { promptPet } = await import('./prompt-pet.js');
      pet = await promptPet(context, {}, pet);
    }
  }
  const id = formatExactNumber(value.id);
  const target = getTargetLabel(context.settings);
  context.terminal.success(`Added ${pet.name}${id === undefined ? '' : ` (id ${id})`} to ${target}`);
  return { kind: 'record', columns, record: value };
}

async function create({ clock, flags }: AppContext, client: Client, pet: NewPet): Promise<PetRecord> {
  const idempotencyKey = client.idempotency?.createKey();
  const startedAt = clock.now();
  const { value } = await client.call(createPet, pet, { idempotencyKey }).catch(async (error: unknown) => {
    const { withSettleHint } = await import('./settle-hint.js');
    const sentKey = { key: idempotencyKey, startedAt };
    throw await withSettleHint(error, { client, pet, sentKey, now: clock.now(), flags });
  });
  return value;
}

/** Returns true if a required field came from a prompt, so that the user can correct it. */
function wasPrompted({ from, name, categoryId }: AddOptions): boolean {
  return from === undefined && (name === undefined || categoryId === undefined);
}

/** Checks the flags, then prompts for missing ones. */
async function readFlags(context: AppContext, options: AddOptions): Promise<NewPet> {
  const { name, categoryId, status } = options;
  checkFlag('--name', name, findNameProblem);
  checkFlag('--category-id', categoryId, findCategoryProblem);
  if (name === undefined || categoryId === undefined) {
    const { findMissingFields, promptPet } = await import('./prompt-pet.js');
    const { isInteractive, disableReason } = context.terminal.prompts;
    if (isInteractive) return promptPet(context, options);
    const { missingInputError } = await import('../../terminal/missing-input-error.js');
    throw missingInputError(findMissingFields(options), disableReason);
  }
  return { name, categoryId, ...(status && { status }) };
}

function checkFlag(flag: string, value: string | undefined, findProblem: (value: string) => string | undefined): void {
  const problem = value === undefined ? undefined : findProblem(value);
  if (problem !== undefined) throw usageError('invalid_flag', `${flag} ${problem}`);
}

async function readFile(context: AppContext, { from = '-', name, categoryId, status }: AddOptions): Promise<NewPet> {
  if ([name, categoryId, status].some((flag) => flag !== undefined)) {
    throw usageError(
      'invalid_flag',
      '--from cannot be combined with --name, --category-id or --status',
      'set these fields in the JSON instead',
    );
  }
  return (await import('./read-new-pet.js')).readNewPet(context, from);
}
