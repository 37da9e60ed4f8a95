import { formatLink, type HttpResponse, matchPath } from '../api/http.js';
import { getPet, getPetDeprecation, listPets, versionSegment } from '../api/operations.js';
import { decodePercent } from '../format/decode-text.js';
import { JsonError, parseJson } from '../format/json.js';
import { sha256Hex } from '../format/sha256.js';
import { insertPetOnce, parseIdempotencyKey } from './idempotency.js';
import { insertPet, parseNewPet, readPet, readPetPage } from './pets.js';
import type { RequestContext, Services } from './request-context.js';
import { jsonResponse, Rejection } from './responses.js';
import type { Database } from './sql.js';

export function handleListPets({ query }: RequestContext, services: Services): Promise<HttpResponse> {
  return services.listPets(query);
}

/** Reads the pets that the query of a request selects. */
export async function respondWithPetPage(database: Database, query: string): Promise<HttpResponse> {
  const { pets, nextQuery } = await readPetPage(database, new URLSearchParams(query));
  if (nextQuery === undefined) return jsonResponse(200, pets);
  return jsonResponse(200, pets, { link: formatLink(`${versionSegment}${listPets.path}?${nextQuery}`, 'next') });
}

export async function handleCreatePet(
  { headers, key }: RequestContext,
  { database, now, body }: Services,
): Promise<HttpResponse> {
  const header = headers['idempotency-key'];
  if (header === undefined) return jsonResponse(201, await insertPet(database, parseNewPet(parseBody(body))));
  const idempotencyKey = parseIdempotencyKey(header);
  const newPet = parseNewPet(parseBody(body));
  const request = { owner: key?.owner ?? '', key: idempotencyKey, requestDigest: sha256Hex(body) };
  const { pet, isReplay } = await insertPetOnce(database, newPet, request, now);
  return jsonResponse(201, pet, isReplay ? { 'idempotency-replayed': 'true' } : {});
}

/** Adds the headers of a deprecated operation (RFC 9745, RFC 8594); from its removal on, throws `gone`. */
export async function handleGetPet({ path }: RequestContext, { database, now }: Services): Promise<HttpResponse> {
  const { deprecatedAt, removalAt } = getPetDeprecation;
  const successor = `${versionSegment}${listPets.path}`;
  const headers = {
    deprecation: `@${deprecatedAt / 1000}`,
    sunset: new Date(removalAt).toUTCString(),
    link: formatLink(successor, 'successor-version'),
  };
  try {
    if (now >= removalAt) throw new Rejection('gone', `this operation was removed; use GET ${successor} instead`);
    const petId = decodePercent(matchPath(`${versionSegment}${getPet.path}`, path) ?? '');
    if (petId === undefined) throw new Rejection('invalid_request', 'the path must be percent-encoded UTF-8');
    return jsonResponse(200, await readPet(database, petId), headers);
  } catch (error) {
    if (error instanceof Rejection) throw new Rejection(error.code, error.message, headers);
    throw error;
  }
}

export async function handleLiveness(): Promise<HttpResponse> {
  return jsonResponse(200, { status: 'ok' });
}

export async function handleHealth(_: RequestContext, { checkHealth }: Services): Promise<HttpResponse> {
  await checkHealth();
  return jsonResponse(200, { status: 'ok' });
}

export async function handleApiSpec(): Promise<HttpResponse> {
  const { default: apiSpec } = await import('../../openapi.yaml');
  apiSpecBytes ??= new TextEncoder().encode(apiSpec);
  return { status: 200, headers: { 'content-type': 'application/json' }, body: apiSpecBytes };
}

/** Shared by all responses. */
let apiSpecBytes: Uint8Array | undefined;

function parseBody(body: Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new Rejection('invalid_request', `cannot parse the body: ${error.message}`);
  }
}
