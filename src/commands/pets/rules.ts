import { isBlank, isInt64 } from '../../contract/pet.js';

/** What is wrong with the name of a new pet, to follow what names it; or nothing. */
export function nameProblem(name: string): string | undefined {
  if (isBlank(name)) return 'must not be blank';
  return name.isWellFormed() ? undefined : 'must be valid Unicode text';
}

/** What is wrong with the category of a new pet, to follow what names it; or nothing. */
export function categoryProblem(categoryId: string): string | undefined {
  return isInt64(categoryId) ? undefined : 'must be a 64-bit whole number, such as 1';
}
