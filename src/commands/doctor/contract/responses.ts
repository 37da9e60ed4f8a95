import { findLink, getHeader, type HttpHeaders, type HttpResponse } from '../../../api/http.js';
import type { PetRecord } from '../../../api/pet.js';
import { parseQuotaHeaders, type Quota } from '../../../api/rate-limit-headers.js';
import { formatExactNumber, isRecord, toExactNumber, tryParseJson } from '../../../format/json.js';
import type { Rule } from './findings.js';

/** The largest 64-bit integer. Many JSON parsers round it, and hardly any pet has it as its id. */
export const maxInt64 = '9223372036854775807';

/** The pet that `--write` adds. */
export const newPet = {
  name: 'petstore doctor --contract --write',
  categoryId: toExactNumber(maxInt64),
};

export interface ProbeResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Undefined if the body is not JSON. */
  readonly json?: { readonly value: unknown };
  /** How far the service's clock is ahead of ours, by its `Date` header. */
  readonly skewMs: number;
  /** In milliseconds since the Unix epoch, by our clock. */
  readonly receivedAt: number;
  readonly quota: Quota;
}

/** The responses so far, by the rules of the probes. */
export type ProbeResponses = ReadonlyMap<Rule, ProbeResponse>;

export function toProbeResponse({ status, headers, body }: HttpResponse, receivedAt: number): ProbeResponse {
  const date = Date.parse(getHeader(headers, 'date') ?? '');
  const json = tryParseJson(body);
  const skewMs = Number.isNaN(date) ? 0 : date - receivedAt;
  const quota = parseQuotaHeaders(headers, receivedAt, skewMs);
  return { status, headers, ...(json && { json }), skewMs, receivedAt, quota };
}

/** Returns the pets of a list, or undefined if the response is not a list of objects. */
export function getPets(response: ProbeResponse | undefined): readonly PetRecord[] | undefined {
  const value = response?.status === 200 ? response.json?.value : undefined;
  return Array.isArray(value) && value.every(isRecord) ? value : undefined;
}

/** Returns the pet to request by its id: the added one, otherwise the one with the largest id. */
export function findKnownPet(responses: ProbeResponses): PetRecord | undefined {
  const added = responses.get('create')?.json?.value;
  if (isRecord(added) && getId(added) !== undefined) return added;
  const pets = [...responses.values()].flatMap((response) => getPets(response) ?? []);
  return pets
    .filter((pet) => getId(pet) !== undefined)
    .toSorted((one, other) => (BigInt(getId(one) ?? 0) < BigInt(getId(other) ?? 0) ? 1 : -1))[0];
}

/** Returns the digits of a pet's id. */
export function getId({ id }: PetRecord): string | undefined {
  const digits = formatExactNumber(id);
  return digits !== undefined && /^\d{1,19}$/.test(digits) ? digits : undefined;
}

/** Returns path and query of the first link to a next page on the origin of the list. */
export function findNextTarget(responses: ProbeResponses, listUrl: string): string | undefined {
  for (const rule of ['limit', 'list'] as const) {
    const link = findLink(getHeader(responses.get(rule)?.headers ?? {}, 'link'), 'next');
    if (link === undefined || !URL.canParse(link, listUrl)) continue;
    const url = new URL(link, listUrl);
    if (url.origin === new URL(listUrl).origin) return url.pathname + url.search;
  }
  return undefined;
}
