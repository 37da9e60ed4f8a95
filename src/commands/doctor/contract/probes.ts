import { findLink, getHeader } from '../../../api/http.js';
import { listLimit } from '../../../api/pet.js';
import type { Client, RawRequest } from '../../../client/client.js';
import { formatJson, isRecord } from '../../../format/json.js';
import { checkRule, type Finding, note, violation } from './findings.js';
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
  /** The name, and the rule that stays unchecked if the request is not sent. */
  readonly rule: string;
  /** Returns undefined if the responses so far do not provide the target. */
  request(client: Client, responses: ProbeResponses): RawRequest | undefined;
  check(response: ProbeResponse, responses: ProbeResponses, label: string): readonly Finding[];
  /** Changes data. */
  readonly isWrite?: true;
}

/** At most ten probes, in the order of sending. Later ones use the responses to earlier ones. */
export const probes: readonly Probe[] = [
  {
    rule: '4.1 list',
    request: ({ basePath }) => get(`${basePath}/pets`),
    check: (response, _, label) => checkList(response, label, listLimit.default),
  },
  {
    rule: '4.1 limit',
    request: ({ basePath }) => get(`${basePath}/pets?status=available&limit=2`),
    check: (response, responses, label) => [
      ...checkList(response, label, 2),
      checkFilter(response, label),
      describePaging(response, responses.get('4.1 list')),
    ],
  },
  {
    rule: '4.1 next page',
    request: ({ origin, basePath }, responses) => {
      const target = findNextTarget(responses, `${origin}${basePath}/pets`);
      return target === undefined ? undefined : get(target);
    },
    check: (response, responses) => [
      ...checkList(response, 'the next page', listLimit.maximum),
      checkNextPage(response, responses.get('4.1 limit')),
    ],
  },
  {
    rule: '4.2 create',
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
    rule: '4.3 get',
    request: ({ basePath }, responses) => {
      const id = getId(findKnownPet(responses) ?? {});
      return id === undefined ? undefined : get(`${basePath}/pets/${id}`);
    },
    check: checkKnownPet,
  },
  {
    rule: '4.3 missing pet',
    request: ({ basePath }) => get(`${basePath}/pets/${maxInt64}`),
    check: checkMissingPet,
  },
  {
    rule: '8.3 limit=101',
    request: ({ basePath }) => get(`${basePath}/pets?limit=101`),
    check: (response) => {
      const isTooLong = (getPets(response)?.length ?? 0) > listLimit.maximum;
      return [
        describeInvalidLimit(response, '8.3 limit=101'),
        checkRule('8.3 largest limit', isTooLong && 'limit=101 brings more than 100 pets'),
      ];
    },
  },
  {
    rule: '4.1 limit=0',
    request: ({ basePath }) => get(`${basePath}/pets?limit=0`),
    check: (response) => [describeInvalidLimit(response, '4.1 limit=0')],
  },
  {
    rule: '4.4 orders',
    request: ({ basePath }) => get(`${basePath}/store/orders`),
    check: (response) => [describeOrders(response)],
  },
  // Last, because a service may count it against the client.
  {
    rule: '5 wrong key',
    request: ({ basePath }) => ({
      ...get(`${basePath}/pets?limit=1`),
      headers: { authorization: 'Bearer not-a-key' },
      usesOtherKey: true,
    }),
    check: ({ status }) => [checkRule('5 wrong key', status !== 401 && `a wrong key is answered with ${status}`)],
  },
];

function get(target: string): RawRequest {
  return { method: 'GET', target, headers: {}, noRetry: true };
}

function checkFilter(response: ProbeResponse, label: string): Finding {
  const other = getPets(response)?.find(({ status }) => status !== 'available');
  const status = String(other?.status ?? 'without a status');
  return checkRule('4.1 status filter', other && `${label} brings a pet that is ${status}`);
}

function describePaging(...responses: readonly (ProbeResponse | undefined)[]): Finding {
  const all = responses.map((response) => response?.headers ?? {});
  if (all.some((headers) => findLink(getHeader(headers, 'link'), 'next'))) {
    return note('4.1 paging', 'Link with rel="next"');
  }
  const names = new Set(all.flatMap((headers) => Object.keys(headers)));
  const similar = [...names].filter((name) => /page|cursor|offset|total|next/i.test(name));
  const also = similar.length === 0 ? '' : `; headers that may be of it: ${similar.join(', ')}`;
  return note('4.1 paging', `no link to a next page is seen${also}`);
}

function checkNextPage(response: ProbeResponse, previous: ProbeResponse | undefined): Finding {
  const previousIds = new Set((getPets(previous) ?? []).map(getId));
  const pets = getPets(response) ?? [];
  if (pets.some((pet) => previousIds.has(getId(pet)))) {
    return note('4.1 next page', 'it repeats pets of the page before');
  }
  if (pets.some(({ status }) => status !== 'available')) {
    return note('4.1 next page', 'it forgets the filter by status');
  }
  return checkRule('4.1 next page');
}

function describeInvalidLimit(response: ProbeResponse, rule: string): Finding {
  const { status, json } = response;
  const pets = getPets(response);
  if (pets) return note(rule, `answered with ${pets.length} pets`);
  const code = isRecord(json?.value) ? json.value.code : undefined;
  const reply = typeof code === 'string' ? `${status} ${code}` : String(status);
  if (status >= 400 && status < 500) return note(rule, `refused with ${reply}`);
  return violation(rule, `answered with ${reply}`);
}

function describeOrders({ status, json }: ProbeResponse): Finding {
  const rule = '4.4 orders';
  if (status !== 200) return violation(rule, `answered with ${status}`);
  const value = json?.value;
  if (isRecord(value)) return note(rule, `an object with ${Object.keys(value).join(', ')}`);
  if (!Array.isArray(value)) return note(rule, 'no list');
  if (value.length === 0) return note(rule, 'an empty list');
  const names = new Set(value.flatMap((order) => (isRecord(order) ? Object.keys(order) : [])));
  const fields = names.size === 0 ? '' : ` with ${[...names].join(', ')}`;
  return note(rule, `a list of ${value.length}${fields}`);
}
