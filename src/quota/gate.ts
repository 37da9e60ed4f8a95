import type { Clock } from '../clock.js';
import { Failure } from '../failure.js';
import {
  countLost,
  findObstacle,
  giveBack,
  learn,
  type Obstacle,
  reserve,
  sweep,
} from './gate-rules.js';
import { endOf, type Ledger, type LedgerEntry, type Reservation, unknownEntry } from './ledger.js';
import type { Told } from './rate-limit-info.js';

export interface GateOptions {
  readonly ledger: Ledger;
  /** Origin and key, digested. */
  readonly account: string;
  readonly clock: Clock;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** The longest wait for one block, in milliseconds. */
  readonly maxWait: number;
  /** Slows down ahead of the end of a short window, however long one is willing to wait. */
  readonly paced?: boolean;
  /** What to do where the quota is used up. */
  readonly limitHint: (wait: number) => string | undefined;
  /** Told when a wait begins; what it returns is called when it is over. */
  readonly onWait: (obstacle: Obstacle) => () => Promise<void>;
}

/** The gate that all requests of an account go through, whichever process that shares the ledger sends them. */
export interface Gate {
  /**
   * Waits until a request may be sent, and counts it before it is. Fails (rate-limited) where that would take
   * longer than the longest wait, and rejects with the signal's reason. With `once` it asks whatever was left
   * when the service last told, and waits for nothing but another's answer.
   */
  enter(signal: AbortSignal, longest: number, once?: boolean): Promise<Pass>;
  /** Resolves once all that was told is kept. */
  settled(): Promise<void>;
}

/** A request that was let through. Exactly one of these is to be called once it is over. */
export interface Pass {
  /** Resolves to the time until which nothing is sent, in milliseconds since the Unix epoch, if to any. */
  answered(told: Told): Promise<number | undefined>;
  /** No answer came; `sent` where the request may have left. */
  lost(sent: boolean): Promise<void>;
}

export function openGate(options: GateOptions): Gate {
  const { ledger, account, clock } = options;
  const look = (entry: LedgerEntry, luck: number) => {
    const swept = sweep(entry, clock.now(), ledger.hasEnded);
    return [swept, findObstacle(swept, clock.now(), luck)] as const;
  };
  const tryEnter = (luck: number, longest: number, once: boolean) =>
    ledger.update(account, (entry): readonly [LedgerEntry, Obstacle | Reservation] => {
      const [swept, obstacle] = look(entry, luck);
      // Who asks to know may find that more is left than was told.
      if (obstacle && !(once && obstacle.reason === 'window')) return [swept, obstacle];
      const reservation = reservationOf(swept, ledger.owner, clock.now(), longest);
      return [reserve(swept, reservation), reservation];
    });
  return {
    enter: async (signal, longest, once = false) => {
      const maxWait = once ? 0 : options.maxWait;
      const luck = options.random();
      for (;;) {
        signal.throwIfAborted();
        const entered = await tryEnter(luck, longest, once);
        if ('id' in entered) return passOf(entered, options);
        refuseLongWait(entered, maxWait, options);
        const stop = options.onWait(entered);
        const begin = clock.now();
        await waitFor(entered, signal, options, async () => {
          if (entered.reason === 'turn' && clock.now() >= begin + longest) throw noTurn();
          const entry = (await ledger.find(account)) ?? unknownEntry;
          return look(entry, luck)[1];
        }).finally(stop);
      }
    },
    settled: ledger.settled,
  };
}

/** Waits until the ledger shows no obstacle any more, or another one; it is looked at and not locked. */
async function waitFor(
  { reason, until, margin }: Obstacle,
  signal: AbortSignal,
  { clock, random }: GateOptions,
  look: () => Promise<Obstacle | undefined>,
): Promise<void> {
  for (;;) {
    const left = Math.max(0, until + margin - clock.now());
    // Not in one sleep: the machine may sleep too, and another process may learn something.
    await clock.sleep(reason === 'turn' ? 20 + 40 * random() : Math.min(left + 1, 1_000), signal);
    const now = await look();
    if (now?.reason !== reason || (reason !== 'turn' && now.until !== until)) return;
  }
}

let made = 0;

function reservationOf(
  { refusals }: LedgerEntry,
  owner: string,
  now: number,
  longest: number,
): Reservation {
  made += 1;
  return { id: `${owner} ${made}`, owner, since: now, until: Math.ceil(now + longest), refusals };
}

function passOf(reservation: Reservation, { ledger, account }: GateOptions): Pass {
  return {
    answered: (told) =>
      ledger.update(account, (entry) => {
        const after = learn(entry, reservation, told);
        const until = after.block ? endOf(after.block, told.now) : 0;
        return [after, until > told.now ? until : undefined];
      }),
    lost: (sent) =>
      ledger.update(account, (entry) => {
        return [sent ? countLost(entry, reservation) : giveBack(entry, reservation), undefined];
      }),
  };
}

function noTurn(): Failure {
  return new Failure('network', {
    code: 'timeout',
    message: 'another petstore has waited for the service all the time; nothing was sent',
    hint: '--timeout gives it longer',
  });
}

/** A minute, as told in whole seconds by a clock that differs a little; a day is longer. */
const longestPace = 90_000;

function refuseLongWait(
  { reason, until }: Obstacle,
  maxWait: number,
  { clock, paced, limitHint }: GateOptions,
): void {
  const wait = until - clock.now();
  if (reason === 'turn' || wait <= maxWait) return;
  if (reason === 'window' && paced && wait <= longestPace) return;
  // A reset is told in whole seconds, so that a minute's window may seem to last a part of one longer.
  const whole = Math.floor(wait / 1000) * 1000;
  if (reason === 'window' && maxWait > 0 && whole <= maxWait) return;
  throw new Failure('rate-limited', {
    code: 'rate_limited',
    message:
      reason === 'block'
        ? 'the service has refused requests for now; nothing was sent'
        : 'no requests are left; nothing was sent',
    hint: limitHint(wait),
    retryAt: until,
  });
}
