import { isInt64, isPetStatus } from '../api/pet.js';
import { type Plan, planNames } from '../api/plan.js';
import { formatExactNumber, isRecord, tryParseJson } from '../format/json.js';
import { sampleCategoryCount, sampleNames, sampleStatuses } from './sample-pets.js';
import { createRandom } from './seeded-random.js';
import { type Statement, sql } from './sql.js';

/** Pets and the last id that was used, as JSON. SQLite reads it, so that 64-bit ids stay exact. */
interface PetsDocument {
  readonly text: string;
}

/** A saved state of the sandbox: what `selectStateStatement` selected, and its plan. It has no API key. */
export interface SandboxState extends PetsDocument {
  readonly plan: Plan;
  readonly petCount: number;
}

/** Returns a statement that selects the state as one JSON document, in the column `state`. */
export function selectStateStatement(plan: Plan): Statement {
  return sql`
    SELECT json_object(
      'version', ${BigInt(stateVersion)},
      'plan', ${plan},
      'lastId', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), 0),
      'pets', json((
        SELECT json_group_array(json_object('id', id, 'name', name, 'categoryId', category_id, 'status', status))
        FROM (SELECT * FROM pets ORDER BY id)))
    ) AS state`;
}

/** Parses a state that was saved before. Returns undefined if it is damaged. */
export function parseSandboxState(text: string): SandboxState | undefined {
  const state = tryParseJson(text)?.value;
  if (!isRecord(state) || formatExactNumber(state.version) !== String(stateVersion)) return undefined;
  const plan = planNames.find((name) => name === state.plan);
  const { lastId, pets } = state;
  if (!plan || !isInteger(lastId) || !Array.isArray(pets) || !pets.every(isSavedPet)) return undefined;
  const ids = new Set(pets.map(({ id }) => formatExactNumber(id)));
  return ids.size === pets.length ? { plan, petCount: pets.length, text } : undefined;
}

/** Returns random pets with the ids from 1 to `count`. The same seed gives the same pets on every machine. */
export function generatePets({ count, seed }: { readonly count: number; readonly seed: number }): PetsDocument {
  const random = createRandom(seed);
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)];
  const categoryIds = Array.from({ length: sampleCategoryCount }, (_, index) => index + 1);
  const pets = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: pick(sampleNames),
    categoryId: pick(categoryIds),
    status: pick(sampleStatuses),
  }));
  return { text: JSON.stringify({ lastId: count, pets }) };
}

/** Returns statements that add the pets to an empty table and set the last id. */
export function restoreStateStatements({ text }: PetsDocument): readonly Statement[] {
  return [
    sql`
      INSERT INTO pets (id, name, category_id, status)
      SELECT value ->> 'id', value ->> 'name', value ->> 'categoryId', value ->> 'status'
      FROM json_each(${text}, '$.pets')`,
    sql`DELETE FROM sqlite_sequence WHERE name = 'pets'`,
    sql`INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ${text} ->> 'lastId')`,
  ];
}

const stateVersion = 1;

function isSavedPet(pet: unknown): pet is { readonly id: unknown } {
  if (!isRecord(pet)) return false;
  const { id, name, categoryId, status } = pet;
  const hasStatus = status === null || isPetStatus(status);
  return isInteger(id) && typeof name === 'string' && isInteger(categoryId) && hasStatus;
}

/** Returns whether SQLite stores a JSON number as an integer. */
function isInteger(value: unknown): boolean {
  return isInt64(formatExactNumber(value) ?? '');
}
