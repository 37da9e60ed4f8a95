import {
  addReservation,
  applyResponse,
  countAsSent,
  findObstacle,
  releaseReservation,
  removeExpired,
} from '../../src/quota/gate-rules.js';
import { emptyLedgerEntry, type LedgerEntry } from '../../src/quota/ledger.js';
import { parseRateLimitInfo } from '../../src/quota/rate-limit-info.js';
import { type ModelLimits, modelService } from './rate-model.js';

/** What becomes of one sending: an answer; none, though it arrived or not; or its process ends meanwhile. */
export type Fate = 'answered' | 'lost' | 'never-arrived' | 'unsent' | 'crashed';

export interface Course {
  readonly limits: ModelLimits;
  /** Requests of others on the same key, by the time at which they are counted. */
  readonly others: readonly number[];
  /** For each process the times at which it wants to send a request. */
  readonly processes: readonly (readonly number[])[];
  /** How long a request and its answer travel, in turn. */
  readonly travels: readonly (readonly [there: number, back: number])[];
  /** What becomes of the first sendings; of all that follow, an answer. */
  readonly fates: readonly Fate[];
  readonly lucks: readonly number[];
  /** By how much the service's clock is ahead. */
  readonly offset: number;
  readonly tellsRetryAfter: boolean;
  readonly hasGate: boolean;
}

export interface Happened {
  readonly unfinished: number;
  /** For each refused request of ours, the minute window in which it was, by its number. */
  readonly refusedIn: readonly number[];
  readonly bans: number;
  /** Sendings at a time at which a refusal that had come told to send nothing. */
  readonly sentWhileBlocked: number;
  /** The most by which requests counted in a window exceeded what an answer told before they were sent. */
  readonly excess: number;
  readonly sent: number;
}

const start = Date.UTC(2026, 10, 21, 12);
const timeout = 30_000;
/** Longer than any course of events that makes progress: one request in each day of the model. */
const horizon = 150 * 600_000;

/** Runs a course of events in virtual time: processes that share one ledger, against a service that counts. */
export function runModel(course: Course): Happened {
  const { travels, fates, lucks, offset, hasGate, processes } = course;
  const events: { readonly at: number; readonly run: () => void }[] = [];
  const service = modelService(course.limits, course.tellsRetryAfter);
  const ended = new Set<string>();
  const promises: { window: number; left: number; known: number; number: number }[] = [];
  let entry: LedgerEntry = emptyLedgerEntry;
  let now = start;
  let sent = 0;
  let blockedUntil = 0;
  let sentWhileBlocked = 0;
  let excess = 0;
  let unfinished = processes.flat().length;

  const at = (time: number, run: () => void) => {
    let index = events.length;
    while (index > 0 && (events[index - 1]?.at ?? 0) <= time) index -= 1;
    events.splice(index, 0, { at: time, run });
  };
  const pick = <Item>(items: readonly Item[], index: number, other: Item): Item =>
    items.length === 0 ? other : (items[index % items.length] as Item);

  const want = (owner: string, luck: number) => {
    if (ended.has(owner)) {
      unfinished -= 1;
      return;
    }
    entry = removeExpired(entry, now, (other) => ended.has(other));
    const obstacle = hasGate ? findObstacle(entry, now, luck) : undefined;
    if (obstacle) {
      const left = Math.max(0, obstacle.endsAt + obstacle.marginMs - now);
      const pause =
        obstacle.reason === 'probe-in-flight' ? 100 + 200 * luck : Math.min(left + 1, 60_000);
      at(now + Math.ceil(pause), () => want(owner, luck));
      return;
    }
    send(owner, luck);
  };

  const send = (owner: string, luck: number) => {
    const number = sent;
    sent += 1;
    if (now < blockedUntil) sentWhileBlocked += 1;
    const sentAt = now;
    const reservation = {
      id: `${owner} ${number}`,
      owner,
      startedAt: now,
      endsAt: now + timeout + 1_000,
      rateLimitedStreak: entry.rateLimitedStreak,
    };
    entry = addReservation(entry, reservation);
    const fate = fates[number] ?? 'answered';
    const [there, back] = pick(travels, number, [1, 1]);
    const again = () => want(owner, luck);
    if (fate === 'unsent') {
      at(now + 5, () => {
        entry = releaseReservation(entry, reservation);
        again();
      });
      return;
    }
    if (fate === 'crashed') ended.add(owner);
    if (fate === 'crashed') unfinished -= 1;
    if (fate === 'lost' || fate === 'never-arrived') {
      at(now + timeout, () => {
        entry = countAsSent(entry, reservation);
        again();
      });
    }
    if (fate === 'never-arrived') return;
    at(now + there, () => {
      const answer = service.count(now + offset, 'us');
      if (answer.status === 200) {
        for (const promise of promises) {
          if (promise.window !== answer.window || sentAt < promise.known) continue;
          promise.number += 1;
          excess = Math.max(excess, promise.number - promise.left);
        }
      }
      if (fate !== 'answered') return;
      at(now + back, () => {
        const told = parseRateLimitInfo(answer, sentAt, now);
        entry = applyResponse(entry, reservation, told);
        if (answer.status === 200) {
          promises.push({ window: answer.window, left: answer.left, known: now, number: 0 });
          unfinished -= 1;
          return;
        }
        if (course.tellsRetryAfter) blockedUntil = Math.max(blockedUntil, told.retryAt ?? 0);
        at(now + 1, again);
      });
    });
  };

  for (const time of course.others) {
    at(start + time, () => service.count(now + offset, 'others'));
  }
  processes.forEach((times, index) => {
    for (const [order, time] of times.entries()) {
      at(start + time, () => want(`${index + 1} here`, pick(lucks, index + order, 0.5)));
    }
  });
  for (let event = events.pop(); event && event.at < start + horizon; event = events.pop()) {
    now = event.at;
    if (unfinished === 0 || sent > 3_000) break;
    event.run();
  }
  const { refusedIn, bans } = service;
  return { unfinished, refusedIn, bans: bans(), sentWhileBlocked, excess, sent };
}
