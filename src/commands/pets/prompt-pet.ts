import { type NewPet, type PetStatus, petStatuses } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import { getTargetLabel } from '../../config/settings.js';
import { canceledError, Failure } from '../../failure.js';
import { categoryProblem, nameProblem } from './check-new-pet.js';

/** Asks for what the flags leave out, then shows the whole pet and where it goes, and lets one refuse. */
export async function askPet(
  context: AppContext,
  options: Partial<NewPet> & { readonly dryRun?: true },
): Promise<NewPet> {
  const { problem } = options.dryRun ? {} : await context.config.account();
  if (problem) throw problem;
  try {
    return await askAll(context, options);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { kind, details } = error;
    if (kind !== 'canceled' && details.code !== 'end_of_input') throw error;
    throw new Failure(kind, { ...details, message: `${details.message}; nothing was sent` });
  }
}

async function askAll(
  context: AppContext,
  options: Partial<NewPet> & { readonly dryRun?: true },
): Promise<NewPet> {
  const {
    terminal: { prompts },
  } = context;
  const name =
    options.name ??
    (await prompts.input({
      message: 'Name:',
      missingInputMessage: 'pass --name with the name of the pet',
      validate: (answer) => sentence('The name', nameProblem(answer)),
    }));
  const categoryId =
    options.categoryId ??
    (await prompts.input({
      message: 'Category id:',
      missingInputMessage: 'pass --category-id with the category of the pet',
      validate: (answer) => sentence('The category', categoryProblem(answer)),
    }));
  const status = options.status ?? (await askStatus(context));
  const pet = { name, categoryId, ...(status && { status }) };
  if (!options.dryRun && !context.settings.curl) await confirm(context, pet);
  return pet;
}

function askStatus({ terminal: { prompts } }: AppContext): Promise<PetStatus | undefined> {
  return prompts.select<PetStatus | undefined>({
    message: 'Status:',
    missingInputMessage: 'pass --status',
    choices: [
      ...petStatuses.map((status) => ({ name: status, value: status })),
      { name: 'none', value: undefined },
    ],
  });
}

async function confirm(
  { settings, terminal: { prompts } }: AppContext,
  pet: NewPet,
): Promise<void> {
  const what = `${pet.name}, category ${pet.categoryId}, ${pet.status ?? 'no status'}`;
  const isProduction = settings.profile === 'production';
  const profile = isProduction ? 'PRODUCTION' : settings.profile;
  const where =
    settings.baseUrl === undefined ? profile : `${getTargetLabel(settings)} (profile ${profile})`;
  const agreed = await prompts.confirm({
    message: `Add ${what}, to ${where}?`,
    missingInputMessage: 'pass --yes',
    default: !isProduction,
  });
  if (agreed) return;
  throw canceledError();
}

function sentence(subject: string, problem: string | undefined): string | undefined {
  return problem && `${subject} ${problem}`;
}
