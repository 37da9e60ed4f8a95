import { isBlankName, isInt64, isPetId, isPetStatus, listLimit, type NewPet, petStatuses } from '../api/pet.js';
import { formatExactNumber, isRecord } from '../format/json.js';
import { Rejection } from './responses.js';
import type { Database, SqlRow, Statement } from './sql.js';

export interface PetPage {
  /** In the format of the API. */
  readonly pets: readonly unknown[];
  /** Query of the next page; `undefined` on the last page. */
  readonly nextQuery: string | undefined;
}

/** Returns the pets after the cursor by ascending id, so that pets added meanwhile change no earlier page. */
export async function readPetPage(database: Database, query: URLSearchParams): Promise<PetPage> {
  const limit = parseLimit(singleParameter(query, 'limit'));
  const status = parseStatus(singleParameter(query, 'status'));
  const after = parseCursor(singleParameter(query, 'cursor'));
  const rows = await database.read(selectPageStatement(status, after, limit + 1));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    pets: page.map(petFromRow),
    nextQuery: hasMore ? formatNextQuery(limit, status, last.id as bigint) : undefined,
  };
}

/** Returns a statement that reads one index from the cursor on. */
export function selectPageStatement(status: string | undefined, after: bigint, limit: number): Statement {
  return status === undefined
    ? { text: selectPage, values: { after, limit } }
    : { text: selectPageByStatus, values: { status, after, limit } };
}

const petColumns = 'id, name, category_id, status';
const selectPage = `SELECT ${petColumns} FROM pets WHERE id > :after ORDER BY id LIMIT :limit`;

/**
 * `IN` with the same status twice, and `ORDER BY status`, keep PostgreSQL from scanning the primary key instead: with
 * `status = …` it may read all pets to find a rare status.
 */
const selectPageByStatus = `SELECT ${petColumns} FROM pets
  WHERE status IN (:status, :status) AND id > :after ORDER BY status, id LIMIT :limit`;

/** Adds a pet. Resolves once it is on disk. */
export async function insertPet(database: Database, newPet: NewPet): Promise<unknown> {
  const [row] = await database.write(insertPetStatement(newPet));
  return petFromRow(row as SqlRow);
}

/** Returns a statement that adds a pet and returns it. */
export function insertPetStatement({ name, categoryId, status }: NewPet): Statement {
  return { text: insertPetText, values: { name, categoryId: BigInt(categoryId), status: status ?? null } };
}

const insertPetText = `INSERT INTO pets (name, category_id, status) VALUES (:name, :categoryId, :status)
  RETURNING ${petColumns}`;

export async function readPet(database: Database, petId: string): Promise<unknown> {
  if (!isPetId(petId)) throw new Rejection('invalid_request', 'petId must be a non-negative 64-bit integer');
  const [row] = await database.read({ text: selectPetText, values: { petId: BigInt(petId) } });
  if (!row) throw new Rejection('not_found', `there is no pet with id ${petId}`);
  return petFromRow(row);
}

const selectPetText = `SELECT ${petColumns} FROM pets WHERE id = :petId`;

/** Returns a pet in the format of the API; `status` is left out if the pet has none. */
export function petFromRow({ id, name, category_id: categoryId, status }: SqlRow): unknown {
  return { id, name, categoryId, ...(status !== null && { status }) };
}

const maxNameLength = 200;

/** Returns the pet in a request body. Throws a `Rejection` if it is invalid. */
export function parseNewPet(body: unknown): NewPet {
  if (!isRecord(body)) throw new Rejection('invalid_request', 'the body must be a JSON object');
  const { name, categoryId, status } = body;
  const problem = validateName(name) ?? validateCategoryId(categoryId) ?? validateStatus(status);
  if (problem) throw new Rejection('invalid_request', problem);
  return {
    name: name as string,
    categoryId: formatExactNumber(categoryId) as string,
    ...(isPetStatus(status) && { status }),
  };
}

function validateName(name: unknown): string | undefined {
  if (name === undefined) return 'name is required';
  if (typeof name !== 'string') return 'name must be a string';
  if (isBlankName(name)) return 'name must not be blank';
  if ([...name].length > maxNameLength) return `name must not exceed ${maxNameLength} characters`;
  if (!name.isWellFormed() || name.includes('\0')) {
    return 'name must not contain NUL or a lone surrogate';
  }
  return undefined;
}

function validateCategoryId(categoryId: unknown): string | undefined {
  if (categoryId === undefined) return 'categoryId is required';
  return isInt64(formatExactNumber(categoryId) ?? '') ? undefined : 'categoryId must be a 64-bit integer';
}

function validateStatus(status: unknown): string | undefined {
  return status === undefined || isPetStatus(status) ? undefined : `status must be one of ${petStatuses.join(', ')}`;
}

function singleParameter(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw new Rejection('invalid_request', `${name} must not be given more than once`);
  return values[0];
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return listLimit.default;
  const limit = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : 0;
  if (limit < listLimit.minimum || limit > listLimit.maximum) {
    const range = `${listLimit.minimum} to ${listLimit.maximum}`;
    throw new Rejection('invalid_request', `limit must be an integer from ${range}`);
  }
  return limit;
}

function parseStatus(text: string | undefined): string | undefined {
  const problem = validateStatus(text);
  if (problem) throw new Rejection('invalid_request', problem);
  return text;
}

/** Returns the last id of the previous page, which a cursor encodes. */
function parseCursor(text: string | undefined): bigint {
  if (text === undefined) return 0n;
  const id = Buffer.from(text, 'base64url').toString('latin1');
  if (isPetId(id) && formatCursor(id) === text) return BigInt(id);
  throw new Rejection('invalid_request', 'cursor is invalid; use the cursor in the Link header of the previous page');
}

function formatNextQuery(limit: number, status: string | undefined, last: bigint): string {
  const cursor = formatCursor(String(last));
  return `limit=${limit}${status === undefined ? '' : `&status=${status}`}&cursor=${cursor}`;
}

function formatCursor(id: string): string {
  return Buffer.from(id).toString('base64url');
}
