import { type NewPet, type PetStatus, petStatuses } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import { productionProfileName } from '../../config/profile.js';
import { getTargetLabel } from '../../config/settings.js';
import { Failure } from '../../failure.js';
import { truncate } from '../../format/safe-text.js';
import { askInOrder } from '../../terminal/ask-in-order.js';
import type { Question } from '../../terminal/prompts.js';
import { findCategoryProblem, findNameProblem } from './check-new-pet.js';

interface PromptPetOptions {
  /** Fields that need no prompt. */
  readonly flags?: Partial<NewPet>;
  /** The prompts start with these values. */
  readonly draft?: Partial<NewPet>;
  /** True if the request is not sent, so that it needs neither API key nor confirmation. */
  readonly isShownOnly?: boolean | undefined;
}

/** Prompts for the fields that are missing, then for a confirmation that shows the pet and its target. */
export async function promptPet(context: AppContext, options: PromptPetOptions = {}): Promise<NewPet> {
  const { draft = {}, isShownOnly } = options;
  const { problem } = isShownOnly ? {} : await context.config.account();
  if (problem) throw problem;
  try {
    return await askForPet(context, options);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'canceled') throw error;
    const { kind, details } = error;
    // A draft was sent before, but not added.
    throw new Failure(kind, { ...details, outcome: `nothing was ${draft.name === undefined ? 'sent' : 'added'}` });
  }
}

async function askForPet(
  context: AppContext,
  { flags = {}, draft = {}, isShownOnly = false }: PromptPetOptions,
): Promise<NewPet> {
  const { prompts } = context.terminal;
  const { name = '', categoryId = '', status } = { ...draft, ...flags };
  const pet = { name, categoryId, ...(status && { status }) };
  // A draft with a name has been answered completely.
  let selected: PetStatus | 'none' | undefined = status ?? (draft.name === undefined ? undefined : 'none');
  await askInOrder([
    {
      isNeeded: () => flags.name === undefined,
      ask: async () => {
        pet.name = await prompts.input({
          message: 'Name:',
          missingInput: findMissingFields(flags),
          validate: (text) => formatProblem('the name', findNameProblem(text)),
          default: pet.name,
        });
      },
    },
    {
      isNeeded: () => flags.categoryId === undefined,
      ask: async () => {
        const answer = await prompts.input({
          message: 'Category id:',
          missingInput: findMissingFields(flags),
          validate: (text) => formatProblem('the category id', findCategoryProblem(text.trim())),
          default: pet.categoryId,
        });
        pet.categoryId = answer.trim();
      },
    },
    {
      isNeeded: () => flags.status === undefined,
      ask: async () => {
        selected = await prompts.select<PetStatus | 'none'>({
          message: 'Status:',
          missingInput: findMissingFields(flags),
          choices: [...petStatuses, 'none' as const].map((value) => ({ name: value, value })),
          default: selected,
        });
        if (selected === 'none') delete pet.status;
        else pet.status = selected;
      },
    },
    {
      isNeeded: () => !isShownOnly,
      ask: () => confirm(context, pet),
    },
  ]);
  return pet;
}

/** Returns the error if required fields of the pet are missing. */
export function findMissingFields({ name, categoryId }: Partial<NewPet>): Question['missingInput'] {
  const missing = [
    ...(name === undefined ? [{ noun: 'the name', syntax: '--name <name>' }] : []),
    ...(categoryId === undefined ? [{ noun: 'the category id', syntax: '--category-id <id>' }] : []),
  ];
  return {
    message: `${missing.map(({ noun }) => noun).join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing`,
    missing,
  };
}

function formatProblem(subject: string, problem: string | undefined): string | undefined {
  return problem && `${subject} ${problem}`;
}

/** In UTF-16 units; the confirmation has to fit on the screen. */
const maxNameLength = 200;

async function confirm(
  { settings, terminal: { prompts } }: AppContext,
  { name, categoryId, status }: NewPet,
): Promise<void> {
  const { profile, baseUrl } = settings;
  const target = baseUrl === undefined ? profile : `${getTargetLabel(settings)} (profile ${profile})`;
  await prompts.confirm({
    message: `Add ${truncate(name, maxNameLength)} (category ${categoryId}, ${status ?? 'no status'}) to ${target}?`,
    problem: 'adding the pet needs confirmation',
    default: profile !== productionProfileName,
  });
}
