import { isBlankName, isInt64, isPetStatus, type NewPet, petStatuses } from '../../api/pet.js';
import { formatExactNumber } from '../../format/json.js';
import { suggestSimilar } from '../../format/suggest.js';

/** A valid pet, or the problems of its fields, separated by semicolons. */
type CheckedPet = { readonly pet: NewPet } | { readonly pet?: undefined; readonly problem: string };

/** Checks the fields of a new pet, as JSON or a table gives them. */
export function checkNewPet({
  name,
  categoryId,
  status,
}: Readonly<Partial<Record<keyof NewPet, unknown>>>): CheckedPet {
  const digits = formatExactNumber(categoryId) ?? '';
  const problems = Object.entries({
    name: name === undefined ? isMissing : findTextProblem(name),
    categoryId: categoryId === undefined ? isMissing : findNumberProblem(categoryId, digits),
    status: findStatusProblem(status),
  }).flatMap(([field, message]) => (message === undefined ? [] : [`${field} ${message}`]));
  if (problems.length > 0) return { problem: problems.join('; ') };
  return { pet: { name: name as string, categoryId: digits, ...(isPetStatus(status) && { status }) } };
}

const isMissing = 'is missing';

function findTextProblem(name: unknown): string | undefined {
  return typeof name === 'string' ? findNameProblem(name) : 'must be a non-blank string';
}

function findNumberProblem(categoryId: unknown, digits: string): string | undefined {
  const isQuoted = typeof categoryId === 'string' && isInt64(categoryId);
  return isQuoted ? 'must be a number: remove the quotes' : findCategoryProblem(digits);
}

/** Returns the problem of a name, as a phrase that follows the field. */
export function findNameProblem(name: string): string | undefined {
  if (isBlankName(name)) return 'must not be blank';
  return name.isWellFormed() ? undefined : 'must be valid Unicode text';
}

/** Returns the problem of a category id, as a phrase that follows the field. */
export function findCategoryProblem(categoryId: string): string | undefined {
  return isInt64(categoryId) ? undefined : 'must be a 64-bit integer, such as 1';
}

function findStatusProblem(status: unknown): string | undefined {
  if (status === undefined || isPetStatus(status)) return undefined;
  const hint = typeof status === 'string' ? suggestSimilar(status, petStatuses) : undefined;
  return `must be one of ${petStatuses.join(', ')}${hint ? ` (${hint})` : ''}`;
}
