import { planNames } from '../../api/plan.js';
import {
  countSchema,
  enumSchema,
  type JsonSchema,
  listSchema,
  nullableTextSchema,
  objectSchema,
  textSchema,
  timeSchema,
} from '../../format/json-schema.js';

/** The API key of a new database, the start of it otherwise. */
export const serveSchema: JsonSchema = {
  ...objectSchema(
    { baseUrl: textSchema, metricsUrl: textSchema, apiKey: textSchema, keyPrefix: textSchema, database: textSchema },
    ['metricsUrl', 'apiKey', 'keyPrefix'],
  ),
  oneOf: [{ required: ['apiKey'] }, { required: ['keyPrefix'] }],
};

const nullableTimeSchema: JsonSchema = { type: ['string', 'null'], format: 'date-time' };

const key = {
  keyPrefix: textSchema,
  plan: enumSchema(planNames),
  perMinute: countSchema,
  perDay: countSchema,
  label: nullableTextSchema,
  expiresAt: nullableTimeSchema,
};

export const createdKeySchema: JsonSchema = objectSchema({ apiKey: textSchema, ...key, database: textSchema });

export const keyListSchema: JsonSchema = listSchema(
  objectSchema({
    ...key,
    minuteLeft: countSchema,
    dayLeft: countSchema,
    bannedUntil: nullableTimeSchema,
    createdAt: timeSchema,
    successor: nullableTextSchema,
  }),
);
