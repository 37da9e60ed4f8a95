import { isBlankName, isInt64, isPetStatus, type NewPet, petStatuses } from '../../api/pet.js';
import { formatExactNumber } from '../../format/json.js';
import { suggestSimilar } from '../../format/suggest.js';

/** What is wrong with one field of a new pet, to follow what names it. */
interface Problem {
  readonly field: string;
  readonly message: string;
}

/** What is wrong with the name of a new pet, to follow what names it; or nothing. */
export function nameProblem(name: string): string | undefined {
  if (isBlankName(name)) return 'must not be blank';
  return name.isWellFormed() ? undefined : 'must be valid Unicode text';
}

/** What is wrong with the category of a new pet, to follow what names it; or nothing. */
export function categoryProblem(categoryId: string): string | undefined {
  return isInt64(categoryId) ? undefined : 'must be a 64-bit whole number, such as 1';
}

/** What is wrong with the status of a new pet, to follow what names it; or nothing. */
function statusProblem(status: unknown): string | undefined {
  if (status === undefined || isPetStatus(status)) return undefined;
  const meant = typeof status === 'string' ? suggestSimilar(status, petStatuses) : undefined;
  return `must be one of ${petStatuses.join(', ')}${meant ? ` (${meant})` : ''}`;
}

/** What JSON or a table had under the fields' names of a new pet, checked: the pet, or all that is wrong with it. */
export interface CheckedPet {
  readonly pet?: NewPet;
  readonly problems: readonly Problem[];
}

export function checkNewPet(given: {
  readonly name?: unknown;
  readonly categoryId?: unknown;
  readonly status?: unknown;
}): CheckedPet {
  const { name, status } = given;
  const categoryId = formatExactNumber(given.categoryId) ?? '';
  const problems = Object.entries({
    name: typeof name === 'string' ? nameProblem(name) : 'must be text that is not blank',
    categoryId: categoryProblem(categoryId),
    status: statusProblem(status),
  }).flatMap(([field, message]) => (message === undefined ? [] : [{ field, message }]));
  if (problems.length > 0) return { problems };
  const pet = { name: name as string, categoryId, ...(isPetStatus(status) && { status }) };
  return { pet, problems };
}
