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
  type ProbeResponses,
  toProbeResponse,
} from '../../../../src/commands/doctor/contract/responses.js';
import { newResponse } from '../../../support/test-client.js';

const { removalAt, removalDate } = getPetDeprecation;
const before = removalAt - 1;

describe('checkCreatedPet', () => {
  const right = `{"id":73,"name":"${newPet.name}","categoryId":${maxInt64}}`;

  test.each([
    ['the pet as sent', 201, right, []],
    ['another status', 200, right, ['create: the response has status 200, not 201']],
    ['no pet', 201, '[]', ['create: the response is not a pet']],
    ['another name', 201, right.replace(newPet.name, 'Rex'), ['round trip: the name was changed']],
    [
      'rounded numbers',
      201,
      right.replace(maxInt64, '9223372036854775808'),
      [
        'pets: categoryId is not a 64-bit integer',
        `exact numbers: categoryId ${maxInt64} was returned as 9223372036854775808`,
      ],
    ],
  ])('checks a response with %s', (_, status, body, problems) => {
    expect(violationsIn(checkCreatedPet(respond(status, body)))).toEqual(problems);
  });
});

describe('checkKnownPet', () => {
  const pet = `{"id":${maxInt64},"name":"Ada","categoryId":1}`;
  const seen: ProbeResponses = new Map([['list', respond(200, `[{"id":7,"name":"Balu"},${pet}]`)]]);
  const check = (given: ProbeResponse) => checkKnownPet(given, seen);

  test.each([
    ['the pet of the list', respond(200, pet), []],
    ['another status', respond(202, pet), ['get: the response for a pet in the list has status 202, not 200']],
    [
      'another pet',
      respond(200, pet.replace(maxInt64, '7')),
      [`get: requested pet ${maxInt64}, received pet 7`, `exact numbers: id ${maxInt64} was returned as 7`],
    ],
    [
      'no pet',
      respond(200, '{}'),
      [
        'pets: a pet has no id; a pet has no name; a pet has no categoryId',
        `get: requested pet ${maxInt64}, received no id`,
        `exact numbers: id ${maxInt64} was returned as nothing`,
      ],
    ],
    [
      'a pet after the removal',
      respond(200, pet, removalAt),
      [`removal: the operation still exists after ${removalDate}`],
    ],
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
    ['no headers', {}, 'the response has neither Deprecation nor Sunset', []],
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
      [`removal: Sunset is Sun, 01 Mar 2026 00:00:00 GMT, not ${removalDate}`],
    ],
    ['a sunset that is not a date', { sunset: 'soon' }, 'Sunset: soon', []],
  ])('reports the deprecation with %s', (_, headers, detail, problems) => {
    const findings = check(respond(200, pet, before, headers));
    const hasNone = Object.keys(headers).length === 0;
    expect(findings).toContainEqual({ rule: 'deprecation headers', status: hasNone ? 'warning' : 'ok', detail });
    expect(violationsIn(findings)).toEqual(problems);
  });
});

test.each([
  ['404', respond(404, '{}'), []],
  [
    'another status',
    respond(200, '{"id":1}'),
    [`missing pet: the response for pet ${maxInt64} has status 200, not 404`],
  ],
  ['an existing pet', respond(200, `{"id":${maxInt64}}`), []],
  ['any status after the removal', respond(500, '', removalAt), []],
])('checkMissingPet checks %s', (_, given, problems) => {
  expect(violationsIn(checkMissingPet(given))).toEqual(problems);
});

function respond(status: number, body: string, now = before, headers = {}): ProbeResponse {
  return toProbeResponse(newResponse(status, body, headers), now);
}

function violationsIn(findings: readonly Finding[]): readonly string[] {
  const wrong = findings.filter(({ status }) => status === 'failed');
  return wrong.map(({ rule, detail }) => `${rule}: ${detail}`);
}
