import { createPet } from '../../api/operations.js';
import type { NewPet, PetStatus } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { usageError } from '../../failure.js';
import { toExactNumber } from '../../format/json.js';
import { categoryProblem, nameProblem } from './check-new-pet.js';
import { petColumns } from './columns.js';

export interface AddOptions {
  readonly name?: string;
  readonly categoryId?: string;
  readonly status?: PetStatus;
  readonly from?: string;
  readonly dryRun?: true;
}

/** Adds one pet, described by flags, answers or a JSON document, and shows it as the service stored it. */
export async function add(context: AppContext, options: AddOptions): Promise<CommandResult> {
  const columns = options.dryRun ? petColumns.filter(({ key }) => key !== 'id') : petColumns;
  context.terminal.checkFields(columns);
  const pet =
    options.from === undefined
      ? await fromFlags(context, options)
      : await fromFile(context, options);
  if (options.dryRun) {
    context.terminal.notice('nothing was sent (--dry-run)');
    return {
      kind: 'record',
      columns,
      record: { ...pet, categoryId: toExactNumber(pet.categoryId) },
    };
  }
  const { value } = await (await context.client()).call(createPet, pet);
  return { kind: 'record', columns, record: value };
}

/** What the flags say is checked before anything is asked, and what was asked is shown before it is sent. */
async function fromFlags(context: AppContext, options: AddOptions): Promise<NewPet> {
  const { name, categoryId, status } = options;
  refuse(name === undefined ? undefined : nameProblem(name), '--name');
  refuse(categoryId === undefined ? undefined : categoryProblem(categoryId), '--category-id');
  if (name === undefined && categoryId === undefined && !context.terminal.prompts.isInteractive) {
    throw usageError('missing_input', 'pass --name and --category-id of the pet');
  }
  if (name === undefined || categoryId === undefined) {
    return (await import('./prompt-pet.js')).askPet(context, options);
  }
  return { name, categoryId, ...(status && { status }) };
}

function refuse(problem: string | undefined, flag: string): void {
  if (problem !== undefined) throw usageError('invalid_flag', `${flag} ${problem}`);
}

async function fromFile(context: AppContext, { from, ...flags }: AddOptions): Promise<NewPet> {
  const other = (['name', 'categoryId', 'status'] as const).find((key) => flags[key] !== undefined);
  if (other)
    throw usageError(
      'invalid_flag',
      '--from takes the place of --name, --category-id and --status',
    );
  const { readNewPet } = await import('./read-new-pet.js');
  return readNewPet(context, from as string);
}
