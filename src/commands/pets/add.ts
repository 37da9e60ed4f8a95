import { createPet } from '../../api/operations.js';
import type { NewPet, PetRecord, PetStatus } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import { checkWriteAllowed } from '../../app/read-only.js';
import type { CommandResult } from '../../cli/command-result.js';
import type { Client } from '../../client/client.js';
import { buildOperationRequest } from '../../client/request.js';
import { getTargetFlags, getTargetLabel } from '../../config/settings.js';
import { type Command, Failure, usageError } from '../../failure.js';
import { formatExactNumber } from '../../format/json.js';
import { missingInputError } from '../../terminal/prompter.js';
import { withRepeatHint } from '../repeat-hint.js';
import { findCategoryProblem, findNameProblem } from './check-new-pet.js';
import { findMissingFields, promptPet } from './prompt-pet.js';

export interface AddOptions {
  readonly name?: string;
  readonly categoryId?: string;
  readonly status?: PetStatus;
  readonly curl?: true;
}

/** Adds one pet from flags or prompts, and returns it as the service stored it. */
export async function add(context: AppContext, options: AddOptions): Promise<CommandResult> {
  if (options.curl) return printCurl(context, options);
  checkWriteAllowed(context.settings);
  let pet = await readFlags(context, options);
  const client = await context.client();
  let value: PetRecord | undefined;
  while (!value) {
    try {
      value = await create(context, client, pet);
    } catch (error) {
      if (!wasPrompted(options) || !(error instanceof Failure) || error.kind !== 'rejected') throw error;
      context.terminal.fail(`the service rejected the pet: ${error.message}`);
      pet = await promptPet(context, { draft: pet });
    }
  }
  const id = formatExactNumber(value.id);
  const target = getTargetLabel(context.settings);
  context.terminal.success(`Added ${pet.name}${id === undefined ? '' : ` (id ${id})`} to ${target}`);
  return { kind: 'record', columns: context.columns, record: value };
}

async function printCurl(context: AppContext, options: AddOptions): Promise<CommandResult> {
  const { formatCurl, openCurlEndpoint } = await import('../curl.js');
  const endpoint = openCurlEndpoint(context);
  const pet = await readFlags(context, options);
  return formatCurl(context, buildOperationRequest(createPet, pet, endpoint));
}

async function create({ clock, settings }: AppContext, client: Client, pet: NewPet): Promise<PetRecord> {
  const key = client.idempotency.createKey();
  const startedAt = clock.now();
  try {
    return (await client.call(createPet, pet, { idempotencyKey: key })).value;
  } catch (error) {
    const fields = ['-f', `name=${pet.name}`, '-F', `categoryId=${pet.categoryId}`];
    const status = pet.status === undefined ? [] : ['-F', `status=${pet.status}`];
    const words = ['api', '/pets', '-X', 'POST', ...fields, ...status, '-H', `Idempotency-Key: ${key}`];
    const command: Command = { words: [...words, ...getTargetFlags(settings)], isNext: true };
    throw await withRepeatHint(error, client, { key, startedAt }, clock.now(), (timeLeft) => [
      'run ',
      command,
      ` to add the pet if it is missing, within ${timeLeft}`,
    ]);
  }
}

/** Returns true if a required field came from a prompt, so that the user can correct it. */
function wasPrompted({ name, categoryId }: AddOptions): boolean {
  return name === undefined || categoryId === undefined;
}

/** Checks the flags, then prompts for missing ones. */
async function readFlags(context: AppContext, options: AddOptions): Promise<NewPet> {
  const { name, categoryId, status } = options;
  checkFlag('--name', name, findNameProblem);
  checkFlag('--category-id', categoryId, findCategoryProblem);
  if (name === undefined || categoryId === undefined) {
    const { isInteractive, disableReason } = context.terminal.prompts;
    if (isInteractive) return promptPet(context, { flags: options, isShownOnly: options.curl });
    throw missingInputError(findMissingFields(options), disableReason);
  }
  return { name, categoryId, ...(status && { status }) };
}

function checkFlag(flag: string, value: string | undefined, findProblem: (value: string) => string | undefined): void {
  const problem = value === undefined ? undefined : findProblem(value);
  if (problem !== undefined) throw usageError('invalid_flag', `${flag} ${problem}`);
}
