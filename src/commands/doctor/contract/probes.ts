import { getHeader } from '../../../api/http.js';
import { findLink } from '../../../api/link-header.js';
import { listLimit } from '../../../api/pet.js';
import { isRecord } from '../../../format/json.js';
import { broken, type Finding, note, ok, unless } from './findings.js';
import { type Answer, idOf, knownPet, nextOf, petsOf, type Seen } from './observations.js';
import { judgeAdded, judgeMissing, judgePetAnswer } from './one-pet.js';
import { judgeList } from './rules.js';
import { largest, newPet } from './sample.js';

/** One request, what it is about, and what its answer shows. */
export interface Probe {
  readonly name: string;
  /** The section of the interface that it looks into. */
  readonly section: string;
  /** What is not known where it is not sent. */
  readonly rule: string;
  /** Missing where what was seen gives no reason for it. */
  request(seen: Seen, origin: string, basePath: string): ProbeRequest | undefined;
  judge(answer: Answer, what: string, seen: Seen): readonly Finding[];
  /** Changes the store. */
  readonly writes?: true;
}

export interface ProbeRequest {
  readonly method: 'GET' | 'POST';
  readonly target: string;
  readonly body?: Uint8Array;
  /** In place of the account's own. */
  readonly key?: string;
}

const get =
  (path: string): Probe['request'] =>
  (_, __, basePath) => ({ method: 'GET', target: basePath + path });

/** In the order in which they are sent: ten at most, and what one shows a later one may use. */
export const probes: readonly Probe[] = [
  {
    name: 'list',
    section: '4.1',
    rule: 'list',
    request: get('/pets'),
    judge: (answer, what) => judgeList(answer, what, listLimit.default),
  },
  {
    name: 'some',
    section: '4.1',
    rule: 'limit',
    request: get('/pets?status=available&limit=2'),
    judge: (answer, what, seen) => [
      ...judgeList(answer, what, 2),
      judgeFilter(answer, what),
      judgePaging(answer, seen),
    ],
  },
  {
    name: 'next',
    section: '4.1',
    rule: 'next page',
    request: (seen, origin, basePath) => {
      const target = nextOf(seen, `${origin}${basePath}/pets`);
      return target === undefined ? undefined : { method: 'GET', target };
    },
    judge: (answer, _, seen) => [
      ...judgeList(answer, 'the next page', listLimit.maximum),
      judgeNext(answer, seen),
    ],
  },
  {
    name: 'add',
    section: '4.2',
    rule: 'create',
    request: (_, __, basePath) => ({ method: 'POST', target: `${basePath}/pets`, body: newPet() }),
    judge: judgeAdded,
    writes: true,
  },
  {
    name: 'pet',
    section: '4.3',
    rule: 'get',
    request: (seen, _, basePath) => {
      const id = idOf(knownPet(seen) ?? {});
      return id === undefined ? undefined : { method: 'GET', target: `${basePath}/pets/${id}` };
    },
    judge: judgePetAnswer,
  },
  {
    name: 'missing',
    section: '4.3',
    rule: 'missing pet',
    request: get(`/pets/${largest}`),
    judge: judgeMissing,
  },
  {
    name: 'over',
    section: '8.3',
    rule: 'limit=101',
    request: get('/pets?limit=101'),
    judge: (answer) => [
      judgeOutOfRange(answer, '8.3', 'limit=101'),
      unless(
        (petsOf(answer)?.length ?? 0) > listLimit.maximum && 'limit=101 brings more than 100 pets',
        '8.3',
        'largest limit',
      ),
    ],
  },
  {
    name: 'under',
    section: '4.1',
    rule: 'limit=0',
    request: get('/pets?limit=0'),
    judge: (answer) => [judgeOutOfRange(answer, '4.1', 'limit=0')],
  },
  {
    name: 'orders',
    section: '4.4',
    rule: 'orders',
    request: get('/store/orders'),
    judge: (answer) => [judgeOrders(answer)],
  },
  // The last one: a service may count it against whoever sends it.
  {
    name: 'key',
    section: '5',
    rule: 'wrong key',
    request: (_, __, basePath) => ({
      method: 'GET',
      target: `${basePath}/pets?limit=1`,
      key: 'not-a-key',
    }),
    judge: ({ status }) => [
      unless(status !== 401 && `a wrong key is answered with ${status}`, '5', 'wrong key'),
    ],
  },
];

function judgeFilter(answer: Answer, what: string): Finding {
  const other = petsOf(answer)?.find(({ status }) => status !== 'available');
  return unless(
    other && `${what} brings a pet that is ${String(other.status ?? 'without a status')}`,
    '4.1',
    'status filter',
  );
}

function judgePaging(answer: Answer, seen: Seen): Finding {
  const answers = [answer, ...(seen.has('list') ? [seen.get('list') as Answer] : [])];
  const isLinked = answers.some(({ headers }) => findLink(getHeader(headers, 'link'), 'next'));
  if (isLinked) return note('4.1', 'paging', 'Link with rel="next"');
  const names = answers.flatMap(({ headers }) => Object.keys(headers));
  const hints = [...new Set(names)].filter((name) => /page|cursor|offset|total|next/i.test(name));
  const also = hints.length === 0 ? '' : `; headers that may be of it: ${hints.join(', ')}`;
  return note('4.1', 'paging', `no link to a next page is seen${also}`);
}

function judgeNext(answer: Answer, seen: Seen): Finding {
  const before = new Set((petsOf(seen.get('some')) ?? []).map(idOf));
  const pets = petsOf(answer) ?? [];
  const repeated = pets.some((pet) => before.has(idOf(pet)));
  const other = pets.some(({ status }) => status !== 'available');
  if (repeated) return note('4.1', 'next page', 'it repeats pets of the page before');
  if (other) return note('4.1', 'next page', 'it forgets the filter by status');
  return ok('4.1', 'next page');
}

function judgeOutOfRange(answer: Answer, section: string, rule: string): Finding {
  const { status, json } = answer;
  const pets = petsOf(answer);
  if (pets) return note(section, rule, `answered with ${pets.length} pets`);
  const code = isRecord(json?.value) ? json.value.code : undefined;
  const said = typeof code === 'string' ? `${status} ${code}` : String(status);
  return status >= 400 && status < 500
    ? note(section, rule, `refused with ${said}`)
    : broken(section, rule, `answered with ${said}`);
}

function judgeOrders({ status, json }: Answer): Finding {
  if (status !== 200) return broken('4.4', 'orders', `answered with ${status}`);
  const value = json?.value;
  if (!Array.isArray(value)) {
    const shape = isRecord(value) ? `an object with ${Object.keys(value).join(', ')}` : 'no list';
    return note('4.4', 'orders', shape);
  }
  const keys = [...new Set(value.flatMap((order) => (isRecord(order) ? Object.keys(order) : [])))];
  const of = keys.length === 0 ? '' : ` with ${keys.join(', ')}`;
  return note(
    '4.4',
    'orders',
    value.length === 0 ? 'an empty list' : `a list of ${value.length}${of}`,
  );
}
