import { getHeader } from '../../../api/http.js';
import { isInt64, isPetStatus, petFields } from '../../../api/pet.js';
import { findPlanByLimit } from '../../../api/plan.js';
import { classifyWindow } from '../../../api/rate-limit-headers.js';
import { formatCount } from '../../../format/duration.js';
import { formatExactNumber, isRecord } from '../../../format/json.js';
import { checkRule, concern, type Finding, note, violation } from './findings.js';
import type { ProbeResponse, ProbeResponses } from './responses.js';

/** Checks the rules for every response. `label` names its request in details: `GET /v1/pets`. */
export function checkResponse(response: ProbeResponse, label: string): Finding[] {
  const { status, headers } = response;
  const body = describeInvalidBody(response);
  const retryAfter = getHeader(headers, 'retry-after');
  return [
    ...checkQuotaHeaders(response, label),
    checkRule('JSON bodies', body && `the response to ${label} ${body}`),
    ...(status >= 400 ? checkErrorBody(response, label) : []),
    ...(status === 429 && retryAfter ? [note('Retry-After', retryAfter)] : []),
    ...(status === 429 && !retryAfter ? [violation('Retry-After', 'a 429 response has no Retry-After header')] : []),
    ...(status >= 500 ? [violation('server errors', `the response to ${label} has status ${status}`)] : []),
  ];
}

function describeInvalidBody({ headers, json }: ProbeResponse): string | undefined {
  const type = getHeader(headers, 'content-type');
  if (type === undefined) return 'has no Content-Type';
  if (!/^application\/json\s*(;|$)/i.test(type)) return `has the Content-Type ${type}`;
  return json ? undefined : 'is not valid JSON';
}

function checkQuotaHeaders({ headers, quota }: ProbeResponse, label: string): Finding[] {
  const names = ['Limit', 'Remaining', 'Reset'].map((name) => `X-RateLimit-${name}`);
  const missing = names.filter((name) => getHeader(headers, name.toLowerCase()) === undefined);
  const problem = missing.length > 0 && `the response to ${label} lacks ${missing.join(', ')}`;
  const reset = getHeader(headers, 'x-ratelimit-reset');
  const isValid = quota.resetAt !== undefined;
  const resetProblem = !isValid && `${reset} is not a Unix timestamp within the next minute or day`;
  return [
    checkRule('rate-limit headers', problem),
    ...(reset === undefined ? [] : [checkRule('reset time', resetProblem)]),
  ];
}

/** Checks an error body: `code`, `message` and the status. */
function checkErrorBody({ status, json }: ProbeResponse, label: string): Finding[] {
  const body = json?.value;
  const rule = 'error bodies';
  if (!isRecord(body)) return [violation(rule, `the ${status} response to ${label} has no Error body`)];
  const missing = ['code', 'message'].filter((name) => typeof body[name] !== 'string');
  if (missing.length > 0) {
    return [violation(rule, `the ${status} response to ${label} lacks ${missing.join(' and ')}`)];
  }
  const bodyStatus = formatExactNumber(body.status);
  if (bodyStatus !== String(status)) {
    const found = bodyStatus === undefined ? 'no status' : `the status ${bodyStatus}`;
    return [violation(rule, `the body of the ${status} response to ${label} has ${found}`)];
  }
  return [checkRule(rule), note('error codes', `${status} ${body.code}`)];
}

/** Checks the fields of a pet. */
export function checkPet(value: unknown): Finding[] {
  if (!isRecord(value)) return [violation('pets', 'a pet is not an object')];
  const problems = petFields.flatMap(({ name, type, required }) => {
    const field = value[name];
    if (field === undefined) return required ? [`a pet has no ${name}`] : [];
    if (type === 'int64') return isInt64(formatExactNumber(field) ?? '') ? [] : [`${name} is not a 64-bit integer`];
    if (type === 'status') return isPetStatus(field) ? [] : [`"${String(field)}" is not a status`];
    return typeof field === 'string' ? [] : [`${name} is not a string`];
  });
  return [checkRule('pets', [...new Set(problems)].join('; '))];
}

/** Checks a list with at most `maxPets` pets. */
export function checkList(response: ProbeResponse, label: string, maxPets: number): Finding[] {
  const { status, json } = response;
  if (status !== 200) return [violation('list', `the response to ${label} has status ${status}, not 200`)];
  const pets = json?.value;
  if (!Array.isArray(pets)) return [violation('list', `the response to ${label} is not a list`)];
  const ids = pets.flatMap((pet) => (isRecord(pet) ? (formatExactNumber(pet.id) ?? []) : []));
  const count = pets.length;
  return [
    checkRule('list'),
    checkRule('limit', count > maxPets && `${label} returns ${count} pets, more than ${maxPets}`),
    ...pets.flatMap(checkPet),
    checkRule('unique ids', new Set(ids).size < ids.length && `${label} returns an id twice`),
  ];
}

/** Returns the window of the rate-limit headers and the plan that its limit suggests. */
export function describeQuota(responses: ProbeResponses): Finding[] {
  // Another key has its own quota.
  const own = [...responses].filter(([rule]) => rule !== 'invalid API key').map(([, response]) => response);
  const { limit, resetAt } = own[0]?.quota ?? {};
  if (!own[0] || limit === undefined || resetAt === undefined) return [];
  const window = classifyWindow(resetAt, own[0].receivedAt);
  const plan = findPlanByLimit(limit, window);
  const remaining = own.flatMap(({ quota }) => quota.remaining ?? []);
  const isConstant = remaining.length > 1 && new Set(remaining).size === 1;
  return [
    note('window', `the headers report the ${window} window: ${formatCount(limit, 'request')}`),
    note('plan', plan ? `${plan} (inferred from the limit)` : 'custom; no plan has this limit'),
    ...(isConstant ? [concern('counting', `X-RateLimit-Remaining stays at ${remaining[0]}`)] : []),
  ];
}
