import { getHeader } from '../../../api/http.js';
import { getPetDeprecation } from '../../../api/operations.js';
import { day } from '../../../clock.js';
import { formatExactNumber, isRecord } from '../../../format/json.js';
import { broken, type Finding, note, ok, unless } from './findings.js';
import { type Answer, idOf, knownPet, type Seen } from './observations.js';
import { judgePet } from './rules.js';
import { largest, newName } from './sample.js';

const { removalAt, removalDate } = getPetDeprecation;

/** Section 4.2: the pet as it was sent, with an id. */
export function judgeAdded({ status, json }: Answer): readonly Finding[] {
  if (status !== 201) return [broken('4.2', 'create', `a pet is answered with ${status}`)];
  const pet = json?.value;
  if (!isRecord(pet)) return [broken('4.2', 'create', 'the answer is no pet')];
  const category = formatExactNumber(pet.categoryId);
  return [
    ok('4.2', 'create'),
    ...judgePet(pet),
    unless(pet.name !== newName && 'the name comes back as another', '4.2', 'round trip'),
    unless(
      category !== largest && `categoryId ${largest} comes back as ${category ?? 'no number'}`,
      '2',
      'exact numbers',
    ),
    note(
      '4.2',
      'status left out',
      pet.status === undefined ? 'the pet has none' : `it is ${pet.status}`,
    ),
  ];
}

/** Section 4.3: the pet that was asked for, until the operation is removed. */
export function judgePetAnswer(answer: Answer, _: string, seen: Seen): readonly Finding[] {
  const { status, json } = answer;
  const asked = knownPet(seen) ?? {};
  const ends = judgeDeprecation(answer);
  if (isRemoved(answer)) {
    return [
      ...ends,
      unless(status < 400 && `it is still there after ${removalDate}`, '4.3', 'removal'),
    ];
  }
  if (status !== 200)
    return [...ends, broken('4.3', 'get', `a pet of the list is answered with ${status}`)];
  const pet = json?.value;
  const id = isRecord(pet) ? idOf(pet) : undefined;
  return [
    ...ends,
    ...judgePet(pet),
    unless(
      id !== idOf(asked) && `asked for ${idOf(asked)}, it answers ${id ?? 'another'}`,
      '4.3',
      'get',
    ),
    judgeExact(asked, isRecord(pet) ? pet : {}),
  ];
}

/** Numbers beyond 2^53 are the same wherever they are shown. */
function judgeExact(one: Readonly<Record<string, unknown>>, other: typeof one): Finding {
  const large = ['id', 'categoryId'].filter((name) => {
    const digits = formatExactNumber(one[name]);
    return digits !== undefined && !Number.isSafeInteger(Number(digits));
  });
  if (large.length === 0) {
    return note('2', 'exact numbers', 'no number beyond 2^53 is seen; --write adds one');
  }
  const odd = large.find((name) => formatExactNumber(one[name]) !== formatExactNumber(other[name]));
  return unless(
    odd && `${odd} ${formatExactNumber(one[odd])} comes back as ${formatExactNumber(other[odd])}`,
    '2',
    'exact numbers',
  );
}

/** Section 7: 404 with an Error body, which is looked at everywhere. */
export function judgeMissing(answer: Answer): readonly Finding[] {
  const { status, json } = answer;
  if (isRemoved(answer)) return [];
  if (status === 200 && isRecord(json?.value) && idOf(json.value) === largest) {
    return [note('4.3', 'missing pet', `there is a pet ${largest}`)];
  }
  return [
    unless(status !== 404 && `pet ${largest} is answered with ${status}`, '4.3', 'missing pet'),
  ];
}

/** By the clock of the service, which decides it. */
function isRemoved({ now, skew }: Answer): boolean {
  return now + skew >= removalAt;
}

function judgeDeprecation({ headers }: Answer): readonly Finding[] {
  const sunset = getHeader(headers, 'sunset');
  const told = [
    ['Deprecation', getHeader(headers, 'deprecation')],
    ['Sunset', sunset],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const end = Date.parse(sunset ?? '');
  const isOther = !Number.isNaN(end) && Math.abs(end - removalAt) > day;
  return [
    note('4.3', 'deprecation headers', told.length === 0 ? 'there are none' : told.join(', ')),
    ...(isOther ? [broken('4.3', 'removal', `Sunset is not ${removalDate}: ${sunset}`)] : []),
  ];
}
