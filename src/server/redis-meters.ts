import { type Redis, RedisError, type RedisReply } from '../quota/redis.js';
import { countedFields, countingScript } from './counting-script.js';
import {
  judge,
  longestBan,
  type Meters,
  refusalsBeforeBan,
  standingOf,
  windowLengths,
} from './limits.js';
import { DatabaseError, type Row } from './sql.js';

/** Counts in Redis as the meters of the database do: one script a request, which nothing interrupts. */
export function createRedisMeters(redis: Redis, lengths = windowLengths): Meters {
  return {
    count: async (subject, limits, bannable, now) => {
      const values = [
        ...[now, lengths.minute, lengths.day, limits.perMinute, limits.perDay],
        ...[bannable ? refusalsBeforeBan : Number.MAX_SAFE_INTEGER, longestBan],
      ];
      const words = values.map(String);
      const reply = await inWords(redis, redis.run(countingScript, [keyOf(subject)], words, bound));
      return judge(rowOf(reply), limits, now, lengths);
    },
    standing: async (subject, limits, now) =>
      standingOf(await rowFor(redis, subject), limits, now, lengths),
    forget: async (subject) => {
      await inWords(redis, redis.send(['DEL', keyOf(subject)], bound));
    },
  };
}

/** The longest that a request waits to be counted, in milliseconds. */
const bound = 1_000;

function keyOf(subject: string): string {
  return `petstore:meter:${subject}`;
}

async function rowFor(redis: Redis, subject: string): Promise<Row> {
  const asking = redis.send(['HMGET', keyOf(subject), ...countedFields], bound);
  return rowOf(await inWords(redis, asking));
}

function rowOf(reply: RedisReply): Row {
  const values = Array.isArray(reply) ? (reply as readonly RedisReply[]) : [];
  return Object.fromEntries(
    countedFields.map((name, index) => {
      const value = values[index];
      return [name, typeof value === 'string' && isKept(value) ? value : null];
    }),
  );
}

/** What the script keeps and answers: whole numbers, and the words of a verdict. */
function isKept(value: string): boolean {
  return /^(?:[0-9]{1,16}|allowed|full|ban|banned)$/.test(value);
}

/** It may be back for the next request, so that nobody is told to come much later. */
async function inWords(redis: Redis, asking: Promise<RedisReply>): Promise<RedisReply> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof RedisError)) throw error;
    throw new DatabaseError('away', `the limits at ${redis.place}: it ${error.message}`, error);
  }
}
