import { getHeader } from '../../../api/http.js';
import { getPetDeprecation } from '../../../api/operations.js';
import { dayMs } from '../../../clock.js';
import { formatExactNumber, isRecord } from '../../../format/json.js';
import { checkRule, type Finding, note, violation } from './findings.js';
import { checkPet } from './response-checks.js';
import { findKnownPet, getId, maxInt64, newPet, type ProbeResponse, type ProbeResponses } from './responses.js';

const { removalAt, removalDate } = getPetDeprecation;

/** Checks that the response to a POST contains the pet that was sent, with an id (section 4.2). */
export function checkCreatedPet({ status, json }: ProbeResponse): Finding[] {
  if (status !== 201) return [violation('4.2 create', `a pet is answered with ${status}`)];
  const pet = json?.value;
  if (!isRecord(pet)) return [violation('4.2 create', 'the answer is no pet')];
  const category = formatExactNumber(pet.categoryId) ?? 'no number';
  const changedCategory = `categoryId ${maxInt64} comes back as ${category}`;
  const petStatus = `it is ${pet.status}`;
  return [
    checkRule('4.2 create'),
    ...checkPet(pet),
    checkRule('4.2 round trip', pet.name !== newPet.name && 'the name comes back as another'),
    checkRule('2 exact numbers', category !== maxInt64 && changedCategory),
    note('4.2 status left out', pet.status === undefined ? 'the pet has none' : petStatus),
  ];
}

/** Checks the response to a GET of a known pet, until the operation is removed (section 4.3). */
export function checkKnownPet(response: ProbeResponse, responses: ProbeResponses): Finding[] {
  const { status, json } = response;
  const knownPet = findKnownPet(responses) ?? {};
  const deprecation = checkDeprecation(response);
  if (isRemoved(response)) {
    const problem = status < 400 && `it is still there after ${removalDate}`;
    return [...deprecation, checkRule('4.3 removal', problem)];
  }
  if (status !== 200) return [...deprecation, violation('4.3 get', `a pet of the list is answered with ${status}`)];
  const pet = isRecord(json?.value) ? json.value : {};
  const [id, knownId] = [getId(pet), getId(knownPet)];
  return [
    ...deprecation,
    ...checkPet(json?.value),
    checkRule('4.3 get', id !== knownId && `asked for ${knownId}, it answers ${id ?? 'another'}`),
    checkExactNumbers(knownPet, pet),
  ];
}

/** Checks that integers beyond 2^53 are equal in two representations of a pet. */
function checkExactNumbers(one: Readonly<Record<string, unknown>>, other: typeof one): Finding {
  const large = ['id', 'categoryId'].filter((name) => !Number.isSafeInteger(Number(formatExactNumber(one[name]) ?? 0)));
  if (large.length === 0) {
    return note('2 exact numbers', 'no number beyond 2^53 is seen; --write adds one');
  }
  const problems = large
    .map((name) => [name, formatExactNumber(one[name]), formatExactNumber(other[name])])
    .filter(([, sent, received]) => sent !== received)
    .map(([name, sent, received]) => `${name} ${sent} comes back as ${received}`);
  return checkRule('2 exact numbers', problems[0]);
}

/** Checks that a pet which does not exist is answered with 404 (section 7). */
export function checkMissingPet(response: ProbeResponse): Finding[] {
  const { status, json } = response;
  if (isRemoved(response)) return [];
  if (status === 200 && isRecord(json?.value) && getId(json.value) === maxInt64) {
    return [note('4.3 missing pet', `there is a pet ${maxInt64}`)];
  }
  const problem = status !== 404 && `pet ${maxInt64} is answered with ${status}`;
  return [checkRule('4.3 missing pet', problem)];
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
    note('4.3 deprecation headers', found.join(', ') || 'there are none'),
    ...(isOther ? [violation('4.3 removal', `Sunset is not ${removalDate}: ${sunset}`)] : []),
  ];
}
