import { getHeader, type HttpHeaders } from '../../../api/http.js';
import { findLink } from '../../../api/link-header.js';
import type { PetRecord } from '../../../api/pet.js';
import { formatExactNumber, isRecord, tryParseJson } from '../../../format/json.js';

/** An answer as it is judged. */
export interface Answer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The body as JSON; missing where it is none. */
  readonly json?: { readonly value: unknown };
  /** By how much the clock of the service is ahead of ours, by its `Date`; in milliseconds. */
  readonly skew: number;
  /** When it came, in milliseconds since the Unix epoch by our clock. */
  readonly now: number;
}

/** What was answered so far, by the names of the probes. */
export type Seen = ReadonlyMap<string, Answer>;

export function readAnswer(
  { status, headers, body }: { status: number; headers: HttpHeaders; body: Uint8Array },
  now: number,
): Answer {
  const date = Date.parse(getHeader(headers, 'date') ?? '');
  const json = tryParseJson(body);
  const skew = Number.isNaN(date) ? 0 : date - now;
  return { status, headers, ...(json && { json }), skew, now };
}

/** The pets of a list; nothing where it is none. */
export function petsOf(answer: Answer | undefined): readonly PetRecord[] | undefined {
  const value = answer?.status === 200 ? answer.json?.value : undefined;
  return Array.isArray(value) && value.every(isRecord) ? value : undefined;
}

/** The pet that is asked for by its id: the one that was added, else the one with the largest id. */
export function knownPet(seen: Seen): PetRecord | undefined {
  const added = seen.get('add')?.json?.value;
  if (isRecord(added) && idOf(added) !== undefined) return added;
  const pets = [...seen.values()].flatMap((answer) => petsOf(answer) ?? []);
  const known = pets.filter((pet) => idOf(pet) !== undefined);
  return known.toSorted((one, other) =>
    BigInt(idOf(one) ?? 0) < BigInt(idOf(other) ?? 0) ? 1 : -1,
  )[0];
}

/** The digits of a pet's id. */
export function idOf({ id }: PetRecord): string | undefined {
  const digits = formatExactNumber(id);
  return digits !== undefined && /^\d{1,19}$/.test(digits) ? digits : undefined;
}

/** Path and query of the page that the first links lead to, from the address of the list and on its origin. */
export function nextOf(seen: Seen, list: string): string | undefined {
  for (const name of ['some', 'list']) {
    const link = findLink(getHeader(seen.get(name)?.headers ?? {}, 'link'), 'next');
    if (link === undefined || !URL.canParse(link, list)) continue;
    const url = new URL(link, list);
    if (url.origin === new URL(list).origin) return url.pathname + url.search;
  }
  return undefined;
}
