import { type NewPet, type PetStatus, petStatuses } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import { getTargetLabel } from '../../config/settings.js';
import { canceledError, Failure } from '../../failure.js';
import { findCategoryProblem, findNameProblem } from './check-new-pet.js';

export type PromptPetOptions = Partial<NewPet> & { readonly dryRun?: true };

/** Prompts for the fields that are missing, then for a confirmation that shows the pet and its target. */
export async function promptPet(context: AppContext, options: PromptPetOptions): Promise<NewPet> {
  const { problem } = options.dryRun ? {} : await context.config.account();
  if (problem) throw problem;
  try {
    const pet = await promptFields(context, options);
    if (!options.dryRun && !context.settings.curl) await confirm(context, pet);
    return pet;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { kind, details } = error;
    if (kind !== 'canceled' && details.code !== 'end_of_input') throw error;
    throw new Failure(kind, { ...details, message: `${details.message}; nothing was sent` });
  }
}

async function promptFields({ terminal: { prompts } }: AppContext, options: PromptPetOptions): Promise<NewPet> {
  const name =
    options.name ??
    (await prompts.input({
      message: 'Name:',
      missingInputMessage: 'the name is missing; pass --name <name>',
      validate: (text) => formatProblem('the name', findNameProblem(text)),
    }));
  const categoryId =
    options.categoryId ??
    (await prompts.input({
      message: 'Category id:',
      missingInputMessage: 'the category id is missing; pass --category-id <id>',
      validate: (text) => formatProblem('the category id', findCategoryProblem(text)),
    }));
  const status =
    options.status ??
    (await prompts.select<PetStatus | undefined>({
      message: 'Status:',
      missingInputMessage: 'the status is missing; pass --status <status>',
      choices: [...petStatuses.map((value) => ({ name: value, value })), { name: 'none', value: undefined }],
    }));
  return { name, categoryId, ...(status && { status }) };
}

function formatProblem(subject: string, problem: string | undefined): string | undefined {
  return problem && `${subject} ${problem}`;
}

async function confirm(
  { settings, terminal: { prompts } }: AppContext,
  { name, categoryId, status }: NewPet,
): Promise<void> {
  const isProduction = settings.profile === 'production';
  const profile = isProduction ? 'PRODUCTION' : settings.profile;
  const target = settings.baseUrl === undefined ? profile : `${getTargetLabel(settings)} (profile ${profile})`;
  const isConfirmed = await prompts.confirm({
    message: `Add ${name} (category ${categoryId}, ${status ?? 'no status'}) to ${target}?`,
    missingInputMessage: 'adding the pet needs confirmation; pass --yes',
    default: !isProduction,
  });
  if (!isConfirmed) throw canceledError();
}
