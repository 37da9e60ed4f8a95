import { type GlobalFlags, getTargetFlags } from '../../../config/settings.js';
import { type Effect, Failure, type Hint } from '../../../failure.js';
import { truncate } from '../../../format/safe-text.js';

/** A create whose outcome is unknown, or that ended because the user quit. */
export interface LostCreate {
  readonly name: string;
  readonly failure: Failure;
}

/**
 * Returns one failure that states the outcome of every pet. Its kind and message are those of the most serious create.
 * The outcome starts with a fixed word, since messages capitalize its first letter.
 */
export function combineLostCreates(creates: readonly LostCreate[], flags: GlobalFlags): Failure | undefined {
  const namesOf = (effect: Effect) => creates.filter((one) => findEffect(one) === effect).map(({ name }) => name);
  const [unknown, added, notAdded] = [namesOf('unknown'), namesOf('made'), namesOf('none')];
  const clauses = [
    ...(notAdded.length > 0 ? [`${describePets(notAdded)} ${wasOrWere(notAdded)} not added`] : []),
    ...(added.length === 1 ? [`${describePets(added)} was added, but its id is unknown`] : []),
    ...(added.length > 1 ? [`${describePets(added)} were added, but their ids are unknown`] : []),
    // Last, since the clauses after it would seem to be unknown, too.
    ...(unknown.length > 0 ? [`it is unknown whether ${joinNames(unknown)} ${wasOrWere(unknown)} added`] : []),
  ];
  const [first] = creates.toSorted((one, other) => rank(one) - rank(other));
  if (!first) return undefined;
  const { kind, details } = first.failure;
  const hint = unknown.length + added.length > 1 ? createCheckHint(flags) : details.hint;
  return new Failure(kind, { ...details, outcome: clauses.join(', and '), hint });
}

function findEffect({ failure: { details } }: LostCreate): Effect {
  return details.effect ?? 'none';
}

/** Returns the position of a create among those to report. An unknown outcome decides the exit code. */
function rank(create: LostCreate): number {
  if (create.failure.kind === 'unknown-outcome') return 0;
  return findEffect(create) === 'unknown' ? 1 : 2;
}

function createCheckHint(flags: GlobalFlags): Hint {
  const list = { words: ['pets', 'list', '--all', ...getTargetFlags(flags)] };
  return ['run ', list, ' to look for the pets before you add them again'];
}

/** Returns `the pet Rex`, or `the pets Rex, Tom and Ada`. */
function describePets(names: readonly string[]): string {
  return `the ${names.length === 1 ? 'pet' : 'pets'} ${joinNames(names)}`;
}

function joinNames(names: readonly string[]): string {
  const short = names.map((name) => truncate(name, 50));
  return short.length < 2 ? short.join('') : `${short.slice(0, -1).join(', ')} and ${short.at(-1)}`;
}

function wasOrWere(names: readonly string[]): string {
  return names.length === 1 ? 'was' : 'were';
}
