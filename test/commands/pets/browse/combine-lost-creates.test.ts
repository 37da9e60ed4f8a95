import { expect, test } from 'vitest';
import { combineLostCreates } from '../../../../src/commands/pets/browse/combine-lost-creates.js';
import { type Effect, Failure, type FailureKind } from '../../../../src/failure.js';

const lost = failure('unknown-outcome', 'unknown');
const unreadable = failure('unknown-outcome', 'made');
const canceledAfter = failure('canceled', 'unknown');
const canceledBefore = failure('canceled', 'none');
const rejected = failure('rejected', 'none');

test.each<readonly [readonly Failure[], FailureKind, string]>([
  [[lost], 'unknown-outcome', 'it is unknown whether Rex was added'],
  [[lost, lost], 'unknown-outcome', 'it is unknown whether Rex and Tom were added'],
  [[lost, lost, lost], 'unknown-outcome', 'it is unknown whether Rex, Tom and Ada were added'],
  [[canceledAfter, canceledAfter], 'canceled', 'it is unknown whether Rex and Tom were added'],
  [[canceledBefore, canceledAfter], 'canceled', 'the pet Rex was not added, and it is unknown whether Tom was added'],
  [[canceledAfter, lost], 'unknown-outcome', 'it is unknown whether Rex and Tom were added'],
  [[unreadable], 'unknown-outcome', 'the pet Rex was added, but its id is unknown'],
  [[unreadable, unreadable], 'unknown-outcome', 'the pets Rex and Tom were added, but their ids are unknown'],
  [
    [unreadable, lost],
    'unknown-outcome',
    'the pet Rex was added, but its id is unknown, and it is unknown whether Tom was added',
  ],
  [[canceledBefore, canceledBefore], 'canceled', 'the pets Rex and Tom were not added'],
  [[rejected], 'rejected', 'the pet Rex was not added'],
])('combines creates into one failure that states the outcome of each pet: %#', (failures, kind, outcome) => {
  const combined = combineLostCreates(creates(failures), {});
  expect(combined).toMatchObject({ kind, details: { message: `${kind} message`, outcome } });
});

test('the hint fits the number of pets to look for', () => {
  expect(combineLostCreates(creates([lost, canceledBefore]), {})?.details.hint).toBe('look for the pet');
  const { hint } = combineLostCreates(creates([lost, unreadable]), { profile: 'staging' })?.details ?? {};
  const list = { words: ['pets', 'list', '--all', '--profile', 'staging'] };
  expect(hint).toEqual(['run ', list, ' to look for the pets before you add them again']);
});

test('returns no failure without creates', () => {
  expect(combineLostCreates([], {})).toBeUndefined();
});

function creates(failures: readonly Failure[]) {
  return failures.map((one, index) => ({ name: ['Rex', 'Tom', 'Ada'][index] ?? '', failure: one }));
}

function failure(kind: FailureKind, effect: Effect): Failure {
  const hint = kind === 'unknown-outcome' ? 'look for the pet' : undefined;
  return new Failure(kind, { code: 'outcome_unknown', message: `${kind} message`, hint, effect });
}
