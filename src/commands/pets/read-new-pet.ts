import { type NewPet, newPetFields } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import { getTargetFlags } from '../../config/settings.js';
import { type Failure, type Hint, usageError } from '../../failure.js';
import { toUtf8 } from '../../format/decode-text.js';
import { isRecord, JsonError, parseJson } from '../../format/json.js';
import { suggestSimilar } from '../../format/suggest.js';
import { checkNewPet } from './check-new-pet.js';
import { isPrintablePath, toPathArgument } from './command-words.js';

const maxInputBytes = 1024 * 1024;

/** Reads a new pet as JSON from a file or from standard input (`-`); throws a usage error if it is invalid. */
export async function readNewPet(context: AppContext, path: string): Promise<NewPet> {
  const { terminal } = context;
  const bytes = toUtf8(await terminal.readInput(path, maxInputBytes));
  const source = path === '-' ? 'standard input' : path;
  const importHint = formatImportHint(context, path);
  const document = parseDocument(bytes, source, /\.(csv|ndjson|jsonl)$/i.test(path) ? importHint : undefined);
  if (!isRecord(document)) {
    const hint = Array.isArray(document) ? importHint : undefined;
    const message = `${source} must contain one JSON object`;
    throw invalidInput(message, hint ?? 'pass an object such as {"name":"Rex","categoryId":1}');
  }
  const { name, categoryId, status, ...unknown } = document;
  const unknownKeys = Object.keys(unknown);
  rejectMisspelledKeys(unknownKeys);
  if (unknownKeys.length > 0) {
    terminal.notice(`Ignored unknown ${unknownKeys.length === 1 ? 'field' : 'fields'}: ${unknownKeys.join(', ')}.`);
  }
  const { pet, problems } = checkNewPet({ name, categoryId, status });
  if (pet) return pet;
  throw invalidInput(problems.map(({ field, message }) => `"${field}" in ${source} ${message}`).join('; '));
}

/** Returns the hint for a file that has several pets; undefined for a stream. */
function formatImportHint({ flags }: AppContext, path: string): Hint | undefined {
  if (path === '-' || !isPrintablePath(path)) return undefined;
  const words = ['pets', 'import', toPathArgument(path), ...getTargetFlags(flags)];
  return ['run ', { words, isShownOnly: true }, ' to add several pets'];
}

function parseDocument(bytes: Uint8Array, source: string, hint: Hint | undefined): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const position = error.offset === undefined ? '' : formatPosition(bytes, error.offset);
    throw invalidInput(`invalid JSON in ${source}${position}: ${error.message}`, hint);
  }
}

/** Returns ` at line 2, column 7`, counted from 1, for an offset in UTF-16 units. */
function formatPosition(bytes: Uint8Array, offset: number): string {
  const lines = new TextDecoder().decode(bytes).slice(0, offset).split('\n');
  return ` at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

function rejectMisspelledKeys(keys: readonly string[]): void {
  const known = newPetFields.map(({ name }) => name);
  for (const key of keys) {
    const suggestion = suggestSimilar(key, known);
    if (suggestion) throw invalidInput(`a pet has no field "${key}"`, suggestion);
  }
}

function invalidInput(message: string, hint?: Hint): Failure {
  return usageError('invalid_input', message, hint);
}
