import { type NewPet, newPetFields } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import { type Failure, usageError } from '../../failure.js';
import { isRecord, JsonError, parseJson } from '../../format/json.js';
import { suggestSimilar } from '../../format/suggest.js';
import { checkNewPet } from './check-new-pet.js';

const longestInput = 1024 * 1024;

/** Reads one NewPet as JSON from a file or from standard input (`-`); what it cannot use is exit 2. */
export async function readNewPet(context: AppContext, path: string): Promise<NewPet> {
  const bytes = await context.terminal.readInput(path, longestInput);
  const where = path === '-' ? 'standard input' : path;
  const document = parse(bytes, where);
  if (!isRecord(document)) throw invalid(`${where} must hold one JSON object`);
  const { name, categoryId, status, ...others } = document;
  noticeOthers(context, Object.keys(others));
  const { pet, problems } = checkNewPet({ name, categoryId, status });
  if (pet) return pet;
  throw invalid(
    problems.map(({ field, message }) => `"${field}" in ${where} ${message}`).join('; '),
  );
}

function parse(bytes: Uint8Array, where: string): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = error.offset === undefined ? '' : placeOf(bytes, error.offset);
    throw invalid(`${where} cannot be read${place}: ${error.message}`);
  }
}

/** ` at line 2, column 7`, counted from 1, for a place in UTF-16 units. */
function placeOf(bytes: Uint8Array, offset: number): string {
  const before = new TextDecoder().decode(bytes).slice(0, offset).split('\n');
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** A key that nearly is one of a new pet's was meant to be it; others are left out, and said so. */
function noticeOthers({ terminal: { notice } }: AppContext, keys: readonly string[]): void {
  const known = newPetFields.map(({ name }) => name);
  for (const key of keys) {
    const meant = suggestSimilar(key, known);
    if (meant) throw invalid(`a new pet has no "${key}"`, meant);
  }
  if (keys.length > 0) notice(`left out what a new pet does not have: ${keys.join(', ')}`);
}

function invalid(message: string, hint?: string): Failure {
  return usageError('invalid_input', message, hint);
}
