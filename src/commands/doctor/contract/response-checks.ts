import { getHeader } from '../../../api/http.js';
import { isInt64, isPetStatus, petFields } from '../../../api/pet.js';
import { findPlanByLimit } from '../../../api/plan.js';
import { classifyWindow } from '../../../api/rate-limit-headers.js';
import { formatExactNumber, isRecord } from '../../../format/json.js';
import { checkRule, type Finding, note, violation } from './findings.js';
import type { ProbeResponse, ProbeResponses } from './responses.js';

/** Checks the rules for every response. `label` names its request in details: `GET /v1/pets`. */
export function checkResponse(response: ProbeResponse, label: string): Finding[] {
  const { status, headers } = response;
  const body = describeInvalidBody(response);
  const retryAfter = getHeader(headers, 'retry-after');
  return [
    ...checkQuotaHeaders(response, label),
    checkRule('1 JSON bodies', body && `${label} is answered with ${body}`),
    ...(status >= 400 && status !== 429 ? checkErrorBody(response, label) : []),
    ...(status === 429 && retryAfter ? [note('8.2 Retry-After', retryAfter)] : []),
    ...(status === 429 && !retryAfter ? [violation('8.2 Retry-After', 'a 429 comes without it')] : []),
    ...(status >= 500 ? [violation('7 statuses', `${label} is answered with ${status}`)] : []),
  ];
}

function describeInvalidBody({ headers, json }: ProbeResponse): string | undefined {
  const type = getHeader(headers, 'content-type') ?? 'no type';
  if (!/^application\/json\s*(;|$)/i.test(type)) return type;
  return json ? undefined : `${type} that is not JSON`;
}

function checkQuotaHeaders({ headers, quota }: ProbeResponse, label: string): Finding[] {
  const names = ['Limit', 'Remaining', 'Reset'].map((name) => `X-RateLimit-${name}`);
  const missing = names.filter((name) => getHeader(headers, name.toLowerCase()) === undefined);
  const problem = missing.length > 0 && `${label} is answered without ${missing.join(', ')}`;
  const reset = getHeader(headers, 'x-ratelimit-reset');
  const isValid = quota.resetAt !== undefined;
  const resetProblem = !isValid && `${reset} is no Unix time of a minute or a day to come`;
  return [
    checkRule('8.2 rate-limit headers', problem),
    ...(reset === undefined ? [] : [checkRule('8.2 reset time', resetProblem)]),
  ];
}

/** Checks an error body: `code`, `message` and the status (section 7). */
function checkErrorBody({ status, json }: ProbeResponse, label: string): Finding[] {
  const body = json?.value;
  const rule = '7 error bodies';
  if (!isRecord(body)) return [violation(rule, `${label}: ${status} without an Error body`)];
  const missing = ['code', 'message'].filter((name) => typeof body[name] !== 'string');
  if (missing.length > 0) {
    return [violation(rule, `${label}: ${status} without ${missing.join(' and ')}`)];
  }
  const bodyStatus = formatExactNumber(body.status) ?? 'no status';
  if (bodyStatus !== String(status)) {
    return [violation(rule, `${label}: ${status} whose body says ${bodyStatus}`)];
  }
  return [checkRule(rule), note('7 error codes', `${status} ${body.code}`)];
}

/** Checks the fields of a pet (section 2). */
export function checkPet(value: unknown): Finding[] {
  if (!isRecord(value)) return [violation('2 pets', 'a pet is no object')];
  const problems = petFields.flatMap(({ name, type, required }) => {
    const field = value[name];
    if (field === undefined) return required ? [`a pet comes without ${name}`] : [];
    if (type === 'int64') return isInt64(formatExactNumber(field) ?? '') ? [] : [`${name} is no 64-bit whole number`];
    if (type === 'status') return isPetStatus(field) ? [] : [`"${String(field)}" is no status`];
    return typeof field === 'string' ? [] : [`${name} is no text`];
  });
  return [checkRule('2 pets', [...new Set(problems)].join('; '))];
}

/** Checks a list with at most `maxPets` pets (section 4.1). */
export function checkList(response: ProbeResponse, label: string, maxPets: number): Finding[] {
  const { status, json } = response;
  if (status !== 200) return [violation('4.1 list', `${label} is answered with ${status}`)];
  const pets = json?.value;
  if (!Array.isArray(pets)) return [violation('4.1 list', `${label} is answered with no list`)];
  const ids = pets.flatMap((pet) => (isRecord(pet) ? (formatExactNumber(pet.id) ?? []) : []));
  const count = pets.length;
  return [
    checkRule('4.1 list'),
    checkRule('4.1 limit', count > maxPets && `${label} brings ${count} pets, more than ${maxPets}`),
    ...pets.flatMap(checkPet),
    checkRule('2 unique ids', new Set(ids).size < ids.length && `${label} brings an id twice`),
  ];
}

/** Returns the window of the rate-limit headers and the plan that it suggests (section 8). */
export function describeQuota(responses: ProbeResponses): Finding[] {
  // Another key has its own quota.
  const own = [...responses].filter(([rule]) => rule !== '5 wrong key').map(([, response]) => response);
  const { limit, resetAt } = own[0]?.quota ?? {};
  if (!own[0] || limit === undefined || resetAt === undefined) return [];
  const window = classifyWindow(resetAt, own[0].receivedAt);
  const plan = findPlanByLimit(limit, window);
  const remaining = own.flatMap(({ quota }) => quota.remaining ?? []);
  const isConstant = remaining.length > 1 && new Set(remaining).size === 1;
  return [
    note('8.2 window', `the headers tell of a ${window}: ${limit} requests`),
    note('8.1 plan', plan ? `that of ${plan}` : 'no plan has that limit: custom'),
    ...(isConstant ? [note('8.2 counting', `${remaining[0]} requests are left after each`)] : []),
  ];
}
