import { getHeader } from '../../../api/http.js';
import { getPetDeprecation } from '../../../api/operations.js';
import { dayMs } from '../../../clock.js';
import { formatExactNumber, isRecord } from '../../../format/json.js';
import { checkRule, concern, type Finding, note, unchecked, violation } from './findings.js';
import { checkPet } from './response-checks.js';
import { findKnownPet, getId, maxInt64, newPet, type ProbeResponse, type ProbeResponses } from './responses.js';

const { removalAt, removalDate } = getPetDeprecation;

/** Checks that the response to a POST contains the pet that was sent, with an id (`POST /pets`). */
export function checkCreatedPet({ status, json }: ProbeResponse): Finding[] {
  if (status !== 201) return [violation('create', `the response has status ${status}, not 201`)];
  const pet = json?.value;
  if (!isRecord(pet)) return [violation('create', 'the response is not a pet')];
  const category = formatExactNumber(pet.categoryId) ?? 'not a number';
  const changedCategory = `categoryId ${maxInt64} was returned as ${category}`;
  return [
    checkRule('create'),
    ...checkPet(pet),
    checkRule('round trip', pet.name !== newPet.name && 'the name was changed'),
    checkRule('exact numbers', category !== maxInt64 && changedCategory),
    note('default status', pet.status === undefined ? 'none' : String(pet.status)),
  ];
}

/** Checks the response to a GET of a known pet, until the operation is removed (`GET /pets/{petId}`). */
export function checkKnownPet(response: ProbeResponse, responses: ProbeResponses): Finding[] {
  const { status, json } = response;
  const knownPet = findKnownPet(responses) ?? {};
  const deprecation = checkDeprecation(response);
  if (isRemoved(response)) {
    const problem = status < 400 && `the operation still exists after ${removalDate}`;
    return [...deprecation, checkRule('removal', problem)];
  }
  if (status !== 200)
    return [...deprecation, violation('get', `the response for a pet in the list has status ${status}, not 200`)];
  const pet = isRecord(json?.value) ? json.value : {};
  const [id, knownId] = [getId(pet), getId(knownPet)];
  return [
    ...deprecation,
    ...checkPet(json?.value),
    checkRule(
      'get',
      id !== knownId && `requested pet ${knownId}, received ${id === undefined ? 'no id' : `pet ${id}`}`,
    ),
    checkExactNumbers(knownPet, pet),
  ];
}

/** Checks that integers above 2^53 are equal in two representations of a pet. */
function checkExactNumbers(one: Readonly<Record<string, unknown>>, other: typeof one): Finding {
  const large = ['id', 'categoryId'].filter((name) => !Number.isSafeInteger(Number(formatExactNumber(one[name]) ?? 0)));
  if (large.length === 0) {
    return unchecked('exact numbers', 'found no number above 2^53; pass --write to add a pet with such a number');
  }
  const problems = large
    .map((name) => [name, formatExactNumber(one[name]), formatExactNumber(other[name])])
    .filter(([, sent, received]) => sent !== received)
    .map(([name, sent, received]) => `${name} ${sent} was returned as ${received ?? 'nothing'}`);
  return checkRule('exact numbers', problems[0]);
}

/** Checks that a request for a pet that does not exist gets 404. */
export function checkMissingPet(response: ProbeResponse): Finding[] {
  const { status, json } = response;
  if (isRemoved(response)) return [];
  if (status === 200 && isRecord(json?.value) && getId(json.value) === maxInt64) {
    return [unchecked('missing pet', `pet ${maxInt64} exists`)];
  }
  const problem = status !== 404 && `the response for pet ${maxInt64} has status ${status}, not 404`;
  return [checkRule('missing pet', problem)];
}

/** Returns whether the operation is removed by the service's clock. */
function isRemoved({ receivedAt, skewMs }: ProbeResponse): boolean {
  return receivedAt + skewMs >= removalAt;
}

function checkDeprecation({ headers }: ProbeResponse): Finding[] {
  const found = ['Deprecation', 'Sunset'].flatMap((name) => {
    const value = getHeader(headers, name.toLowerCase());
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  const sunset = getHeader(headers, 'sunset') ?? '';
  // An invalid date is NaN, which is never greater.
  const isOther = Math.abs(Date.parse(sunset) - removalAt) > dayMs;
  return [
    found.length > 0
      ? note('deprecation headers', found.join(', '))
      : concern('deprecation headers', 'the response has neither Deprecation nor Sunset'),
    ...(isOther ? [violation('removal', `Sunset is ${sunset}, not ${removalDate}`)] : []),
  ];
}
