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

describe('checkCreatedPet', () => {
  const right = `{"id":73,"name":"${newPet.name}","categoryId":${maxInt64}}`;

  test.each([
    ['the pet as sent', 201, right, []],
    ['another status', 200, right, ['create: a pet is answered with 200']],
    ['no pet', 201, '[]', ['create: the answer is no pet']],
    ['another name', 201, right.replace(newPet.name, 'Rex'), ['round trip: the name comes back as another']],
    [
      'rounded numbers',
      201,
      right.replace(maxInt64, '9223372036854775808'),
      [
        'pets: categoryId is no 64-bit whole number',
        `exact numbers: categoryId ${maxInt64} comes back as 9223372036854775808`,
      ],
    ],
  ])('checks a response with %s', (_, status, body, problems) => {
    expect(violationsIn(checkCreatedPet(respond(status, body)))).toEqual(problems);
  });
});

describe('checkKnownPet', () => {
  const pet = `{"id":${maxInt64},"name":"Ada","categoryId":1}`;
  const seen = new Map([['list', respond(200, `[{"id":7,"name":"Balu"},${pet}]`)]]);
  const check = (given: ProbeResponse) => checkKnownPet(given, seen);

  test.each([
    ['the pet of the list', respond(200, pet), []],
    ['another status', respond(202, pet), ['get: a pet of the list is answered with 202']],
    [
      'another pet',
      respond(200, pet.replace(maxInt64, '7')),
      [`get: asked for ${maxInt64}, it answers 7`, `exact numbers: id ${maxInt64} comes back as 7`],
    ],
    [
      'no pet',
      respond(200, '{}'),
      [
        'pets: a pet comes without id; a pet comes without name; a pet comes without categoryId',
        `get: asked for ${maxInt64}, it answers another`,
        `exact numbers: id ${maxInt64} comes back as undefined`,
      ],
    ],
    ['a pet after the removal', respond(200, pet, removalAt), [`removal: it is still there after ${removalDate}`]],
    ['no pet after the removal', respond(410, '{}', removalAt), []],
    [
      'no pet after the removal by the clock of the service',
      respond(404, '{}', before - 60_000, { date: new Date(removalAt).toUTCString() }),
      [],
    ],
  ])('checks a response with %s', (_, given, problems) => {
    expect(violationsIn(check(given))).toEqual(problems);
  });

  test.each([
    ['no headers', {}, 'there are none', []],
    [
      'both headers',
      { deprecation: '@1', sunset: new Date(removalAt).toUTCString() },
      `Deprecation: @1, Sunset: ${new Date(removalAt).toUTCString()}`,
      [],
    ],
    [
      'another sunset',
      { sunset: 'Sun, 01 Mar 2026 00:00:00 GMT' },
      'Sunset: Sun, 01 Mar 2026 00:00:00 GMT',
      [`removal: Sunset is not ${removalDate}: Sun, 01 Mar 2026 00:00:00 GMT`],
    ],
    ['a sunset that is not a date', { sunset: 'soon' }, 'Sunset: soon', []],
  ])('reports the deprecation with %s', (_, headers, detail, problems) => {
    const findings = check(respond(200, pet, before, headers));
    expect(findings).toContainEqual(
      expect.objectContaining({ rule: '4.3 deprecation headers', status: 'note', detail }),
    );
    expect(violationsIn(findings)).toEqual(problems);
  });
});

test.each([
  ['404', respond(404, '{}'), []],
  ['another status', respond(200, '{"id":1}'), [`missing pet: pet ${maxInt64} is answered with 200`]],
  ['an existing pet', respond(200, `{"id":${maxInt64}}`), []],
  ['any status after the removal', respond(500, '', removalAt), []],
])('checkMissingPet checks %s', (_, given, problems) => {
  expect(violationsIn(checkMissingPet(given))).toEqual(problems);
});

function respond(status: number, body: string, now = before, headers = {}): ProbeResponse {
  return toProbeResponse(newResponse(status, body, headers), now);
}

function violationsIn(findings: readonly Finding[]): readonly string[] {
  const wrong = findings.filter(({ status }) => status === 'broken');
  return wrong.map(({ rule, detail }) => `${rule.replace(/^\S+ /, '')}: ${detail}`);
}
