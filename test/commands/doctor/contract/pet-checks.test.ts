import { describe, expect, test } from 'vitest';
import { getPetDeprecation } from '../../../../src/api/operations.js';
import type { Finding } from '../../../../src/commands/doctor/contract/findings.js';
import {
  checkCreatedPet,
  checkKnownPet,
  checkMissingPet,
} from '../../../../src/commands/doctor/contract/pet-checks.js';
import {
  maxInt64,
  newPet,
  type ProbeResponse,
  toProbeResponse,
} from '../../../../src/commands/doctor/contract/responses.js';
import { newResponse } from '../../../support/test-client.js';

const { removalAt, removalDate } = getPetDeprecation;
const before = removalAt - 1;

describe('the pet that was added', () => {
  const right = `{"id":73,"name":"${newPet.name}","categoryId":${maxInt64}}`;

  test.each([
    ['as it was sent', 201, right, []],
    ['with another status', 200, right, ['create: a pet is answered with 200']],
    ['as no pet', 201, '[]', ['create: the answer is no pet']],
    [
      'under another name',
      201,
      right.replace(newPet.name, 'Rex'),
      ['round trip: the name comes back as another'],
    ],
    [
      'with rounded numbers',
      201,
      right.replace(maxInt64, '9223372036854775808'),
      [
        'pets: categoryId is no 64-bit whole number',
        `exact numbers: categoryId ${maxInt64} comes back as 9223372036854775808`,
      ],
    ],
  ])('is judged where it comes back %s', (_, status, body, problems) => {
    expect(brokenIn(checkCreatedPet(answered(status, body)))).toEqual(problems);
  });
});

describe('a pet by its id', () => {
  const pet = `{"id":${maxInt64},"name":"Ada","categoryId":1}`;
  const seen = new Map([['list', answered(200, `[{"id":7,"name":"Balu"},${pet}]`)]]);
  const judge = (given: ProbeResponse) => checkKnownPet(given, seen);

  test.each([
    ['is the one of the list', answered(200, pet), []],
    ['has another status', answered(202, pet), ['get: a pet of the list is answered with 202']],
    [
      'is another',
      answered(200, pet.replace(maxInt64, '7')),
      [`get: asked for ${maxInt64}, it answers 7`, `exact numbers: id ${maxInt64} comes back as 7`],
    ],
    [
      'is none',
      answered(200, '{}'),
      [
        'pets: a pet comes without id; a pet comes without name; a pet comes without categoryId',
        `get: asked for ${maxInt64}, it answers another`,
        `exact numbers: id ${maxInt64} comes back as undefined`,
      ],
    ],
    [
      'is there after its end',
      answered(200, pet, removalAt),
      [`removal: it is still there after ${removalDate}`],
    ],
    ['is gone after its end', answered(410, '{}', removalAt), []],
    [
      'is gone by the clock of the service',
      answered(404, '{}', before - 60_000, { date: new Date(removalAt).toUTCString() }),
      [],
    ],
  ])('is judged where it %s', (_, given, problems) => {
    expect(brokenIn(judge(given))).toEqual(problems);
  });

  test.each([
    ['none', {}, 'there are none', []],
    [
      'right ones',
      { deprecation: '@1', sunset: new Date(removalAt).toUTCString() },
      `Deprecation: @1, Sunset: ${new Date(removalAt).toUTCString()}`,
      [],
    ],
    [
      'another end',
      { sunset: 'Sun, 01 Mar 2026 00:00:00 GMT' },
      'Sunset: Sun, 01 Mar 2026 00:00:00 GMT',
      [`removal: Sunset is not ${removalDate}: Sun, 01 Mar 2026 00:00:00 GMT`],
    ],
    ['an end that is no date', { sunset: 'soon' }, 'Sunset: soon', []],
  ])('tells of its deprecation by %s', (_, headers, detail, problems) => {
    const findings = judge(answered(200, pet, before, headers));
    expect(findings).toContainEqual(
      expect.objectContaining({ rule: '4.3 deprecation headers', status: 'note', detail }),
    );
    expect(brokenIn(findings)).toEqual(problems);
  });
});

test.each([
  ['404', answered(404, '{}'), []],
  [
    'another status',
    answered(200, '{"id":1}'),
    [`missing pet: pet ${maxInt64} is answered with 200`],
  ],
  ['a pet that there is', answered(200, `{"id":${maxInt64}}`), []],
  ['anything once it is removed', answered(500, '', removalAt), []],
])('a pet that is missing, answered by %s', (_, given, problems) => {
  expect(brokenIn(checkMissingPet(given))).toEqual(problems);
});

function answered(status: number, body: string, now = before, headers = {}): ProbeResponse {
  return toProbeResponse(newResponse(status, body, headers), now);
}

function brokenIn(findings: readonly Finding[]): readonly string[] {
  const wrong = findings.filter(({ status }) => status === 'broken');
  return wrong.map(({ rule, detail }) => `${rule.replace(/^\S+ /, '')}: ${detail}`);
}
