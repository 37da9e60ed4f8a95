import { findLink, getHeader } from '../../../api/http.js';
import { listLimit } from '../../../api/pet.js';
import type { Client, RawRequest } from '../../../client/client.js';
import { formatJson, isRecord } from '../../../format/json.js';
import { checkRule, concern, type Finding, note, type Rule, violation } from './findings.js';
import { checkCreatedPet, checkKnownPet, checkMissingPet } from './pet-checks.js';
import { checkList } from './response-checks.js';
import {
  findKnownPet,
  findNextTarget,
  getId,
  getPets,
  maxInt64,
  newPet,
  type ProbeResponse,
  type ProbeResponses,
} from './responses.js';

/** One request and the checks of its response. */
export interface Probe {
  /** Names the probe. This rule is skipped if the request is not sent. */
  readonly rule: Rule;
  /** Returns undefined if the responses so far do not provide the target. */
  request(client: Client, responses: ProbeResponses): RawRequest | undefined;
  check(response: ProbeResponse, responses: ProbeResponses, label: string): readonly Finding[];
  /** Changes data. */
  readonly isWrite?: true;
}

/** At most ten probes, in the order of sending. Later ones use the responses to earlier ones. */
export const probes: readonly Probe[] = [
  {
    rule: 'list',
    request: ({ basePath }) => get(`${basePath}/pets`),
    check: (response, _, label) => checkList(response, label, listLimit.default),
  },
  {
    rule: 'limit',
    request: ({ basePath }) => get(`${basePath}/pets?status=available&limit=2`),
    check: (response, responses, label) => [
      ...checkList(response, label, 2),
      checkFilter(response, label),
      describePaging(response, responses.get('list')),
    ],
  },
  {
    rule: 'next page',
    request: ({ origin, basePath }, responses) => {
      const target = findNextTarget(responses, `${origin}${basePath}/pets`);
      return target === undefined ? undefined : get(target);
    },
    check: (response, responses) => [
      ...checkList(response, 'the next page', listLimit.maximum),
      checkNextPage(response, responses.get('limit')),
    ],
  },
  {
    rule: 'create',
    request: ({ basePath }) => ({
      method: 'POST',
      target: `${basePath}/pets`,
      headers: { 'content-type': 'application/json' },
      body: new TextEncoder().encode(formatJson(newPet)),
      noRetry: true,
    }),
    check: checkCreatedPet,
    isWrite: true,
  },
  {
    rule: 'get',
    request: ({ basePath }, responses) => {
      const id = getId(findKnownPet(responses) ?? {});
      return id === undefined ? undefined : get(`${basePath}/pets/${id}`);
    },
    check: checkKnownPet,
  },
  {
    rule: 'missing pet',
    request: ({ basePath }) => get(`${basePath}/pets/${maxInt64}`),
    check: checkMissingPet,
  },
  {
    rule: 'limit=101',
    request: ({ basePath }) => get(`${basePath}/pets?limit=101`),
    check: (response) => {
      const isTooLong = (getPets(response)?.length ?? 0) > listLimit.maximum;
      return [
        describeInvalidLimit(response, 'limit=101'),
        checkRule('maximum limit', isTooLong && 'limit=101 returns more than 100 pets'),
      ];
    },
  },
  {
    rule: 'limit=0',
    request: ({ basePath }) => get(`${basePath}/pets?limit=0`),
    check: (response) => [describeInvalidLimit(response, 'limit=0')],
  },
  {
    rule: 'orders',
    request: ({ basePath }) => get(`${basePath}/store/orders`),
    check: (response) => [describeOrders(response)],
  },
  // Last, because a service may count it against the client.
  {
    rule: 'invalid API key',
    request: ({ basePath }) => ({
      ...get(`${basePath}/pets?limit=1`),
      headers: { authorization: 'Bearer not-a-key' },
      usesOtherKey: true,
    }),
    check: ({ status }) => [
      checkRule(
        'invalid API key',
        status !== 401 && `the response to an invalid API key has status ${status}, not 401`,
      ),
    ],
  },
];

function get(target: string): RawRequest {
  return { method: 'GET', target, headers: {}, noRetry: true };
}

function checkFilter(response: ProbeResponse, label: string): Finding {
  const other = getPets(response)?.find(({ status }) => status !== 'available');
  const status = other?.status === undefined ? 'without a status' : `with the status ${String(other.status)}`;
  return checkRule('status filter', other && `${label} returns a pet ${status}`);
}

function describePaging(...responses: readonly (ProbeResponse | undefined)[]): Finding {
  const all = responses.map((response) => response?.headers ?? {});
  if (all.some((headers) => findLink(getHeader(headers, 'link'), 'next'))) {
    return note('paging', 'Link with rel="next"');
  }
  const names = new Set(all.flatMap((headers) => Object.keys(headers)));
  const similar = [...names].filter((name) => /page|cursor|offset|total|next/i.test(name));
  const also = similar.length === 0 ? '' : `; possibly related headers: ${similar.join(', ')}`;
  return concern('paging', `no link to a next page${also}`);
}

function checkNextPage(response: ProbeResponse, previous: ProbeResponse | undefined): Finding {
  const previousIds = new Set((getPets(previous) ?? []).map(getId));
  const pets = getPets(response) ?? [];
  if (pets.some((pet) => previousIds.has(getId(pet)))) {
    return concern('next page', 'the next page repeats pets of the previous page');
  }
  if (pets.some(({ status }) => status !== 'available')) {
    return concern('next page', 'the next page ignores the status filter');
  }
  return checkRule('next page');
}

function describeInvalidLimit(response: ProbeResponse, rule: Rule): Finding {
  const { status, json } = response;
  const pets = getPets(response);
  if (pets) return concern(rule, `accepted; returns ${pets.length} pets`);
  const code = isRecord(json?.value) ? json.value.code : undefined;
  const reply = typeof code === 'string' ? `${status} ${code}` : String(status);
  if (status >= 400 && status < 500) return note(rule, `rejected with ${reply}`);
  return violation(rule, `the response has status ${reply}`);
}

function describeOrders({ status, json }: ProbeResponse): Finding {
  const rule = 'orders';
  if (status !== 200) return violation(rule, `the response has status ${status}, not 200`);
  const value = json?.value;
  if (isRecord(value)) return note(rule, `an object with the fields ${Object.keys(value).join(', ')}`);
  if (!Array.isArray(value)) return note(rule, 'not a list');
  if (value.length === 0) return note(rule, 'an empty list');
  const names = new Set(value.flatMap((order) => (isRecord(order) ? Object.keys(order) : [])));
  const fields = names.size === 0 ? '' : ` with the fields ${[...names].join(', ')}`;
  return note(rule, `a list of ${value.length} orders${fields}`);
}
