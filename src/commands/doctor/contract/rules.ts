import { getHeader } from '../../../api/http.js';
import { isInt64, isPetStatus, petFields } from '../../../api/pet.js';
import { parseQuotaHeaders } from '../../../api/rate-limit-headers.js';
import { formatExactNumber, isRecord } from '../../../format/json.js';
import { broken, type Finding, note, ok, unless } from './findings.js';
import type { Answer } from './observations.js';

/** What holds of every answer; `what` names the request in details. */
export function judgeAny(answer: Answer, what: string): readonly Finding[] {
  return [
    ...judgeQuota(answer, what),
    unless(!isJson(answer) && `${what} is answered with ${bodyOf(answer)}`, '1', 'JSON bodies'),
    ...(answer.status >= 400 && answer.status !== 429 ? judgeError(answer, what) : []),
    ...(answer.status === 429 ? [judgeRetryAfter(answer)] : []),
    ...(answer.status >= 500
      ? [broken('7', 'statuses', `${what} is answered with ${answer.status}`)]
      : []),
  ];
}

function isJson({ headers, json }: Answer): boolean {
  return json !== undefined && jsonType.test(getHeader(headers, 'content-type') ?? '');
}

function bodyOf({ headers, json }: Answer): string {
  const type = getHeader(headers, 'content-type') ?? 'no type';
  return json || !jsonType.test(type) ? type : `${type} that is not JSON`;
}

const jsonType = /^application\/json\s*(;|$)/i;

function judgeQuota({ headers, now, skew }: Answer, what: string): readonly Finding[] {
  const names = ['Limit', 'Remaining', 'Reset'].map((name) => `X-RateLimit-${name}`);
  const missing = names.filter((name) => getHeader(headers, name.toLowerCase()) === undefined);
  const reset = getHeader(headers, 'x-ratelimit-reset');
  const absent = missing.length > 0 && `${what} is answered without ${missing.join(', ')}`;
  const isTime = parseQuotaHeaders(headers, now, skew).resetAt !== undefined;
  return [
    unless(absent, '8.2', 'rate-limit headers'),
    ...(reset === undefined
      ? []
      : [
          unless(
            !isTime && `${reset} is no Unix time of a minute or a day to come`,
            '8.2',
            'reset time',
          ),
        ]),
  ];
}

/** Section 7: `code`, `message`, and the status once more. */
function judgeError({ status, json }: Answer, what: string): readonly Finding[] {
  const body = json?.value;
  const rule = 'error bodies';
  if (!isRecord(body)) return [broken('7', rule, `${what}: ${status} without an Error body`)];
  const odd = ['code', 'message'].filter((name) => typeof body[name] !== 'string');
  if (odd.length > 0) return [broken('7', rule, `${what}: ${status} without ${odd.join(' and ')}`)];
  const told = formatExactNumber(body.status);
  if (told !== String(status)) {
    return [broken('7', rule, `${what}: ${status} whose body says ${told ?? 'no status'}`)];
  }
  return [ok('7', rule), note('7', 'error codes', `${status} ${body.code}`)];
}

function judgeRetryAfter({ headers }: Answer): Finding {
  const told = getHeader(headers, 'retry-after');
  if (told === undefined) return broken('8.2', 'Retry-After', 'a 429 comes without it');
  return note('8.2', 'Retry-After', told);
}

/** Section 2: the fields of a Pet. */
export function judgePet(value: unknown): readonly Finding[] {
  if (!isRecord(value)) return [broken('2', 'pets', 'a pet is no object')];
  const problems = petFields.flatMap(({ name, type, required }) => {
    const given = value[name];
    if (given === undefined) return required ? [`a pet comes without ${name}`] : [];
    if (type === 'int64')
      return isInt64(formatExactNumber(given) ?? '') ? [] : [`${name} is no 64-bit whole number`];
    if (type === 'status') return isPetStatus(given) ? [] : [`"${String(given)}" is no status`];
    return typeof given === 'string' ? [] : [`${name} is no text`];
  });
  return [unless([...new Set(problems)].join('; ') || undefined, '2', 'pets')];
}

/** Section 4.1: a list, of at most so many pets. */
export function judgeList(
  { status, json }: Answer,
  what: string,
  most: number,
): readonly Finding[] {
  if (status !== 200) return [broken('4.1', 'list', `${what} is answered with ${status}`)];
  const pets = json?.value;
  if (!Array.isArray(pets)) return [broken('4.1', 'list', `${what} is answered with no list`)];
  const ids = pets.flatMap((pet) => (isRecord(pet) ? (formatExactNumber(pet.id) ?? []) : []));
  return [
    ok('4.1', 'list'),
    unless(
      pets.length > most && `${what} brings ${pets.length} pets, more than ${most}`,
      '4.1',
      'limit',
    ),
    ...pets.flatMap(judgePet),
    unless(new Set(ids).size < ids.length && `${what} brings an id twice`, '2', 'unique ids'),
  ];
}
