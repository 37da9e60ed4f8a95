import { planNames } from '../../api/plan.js';
import {
  countSchema,
  enumSchema,
  type JsonSchema,
  objectSchema,
  textSchema,
  timeSchema,
} from '../../format/json-schema.js';

const window = { limit: countSchema, remaining: countSchema, resetAt: timeSchema };
const windows = { minute: { $ref: '#/$defs/window' }, day: { $ref: '#/$defs/window' } };

/** Before the first response, only the profile is known. */
export const quotaSchema: JsonSchema = {
  ...objectSchema(
    {
      profile: textSchema,
      ...window,
      window: enumSchema(Object.keys(windows)),
      windows: objectSchema(windows, ['minute', 'day']),
      // The limits of Enterprise are custom.
      planGuess: enumSchema(planNames.filter((plan) => plan !== 'enterprise')),
      seenAt: timeSchema,
      blockedUntil: timeSchema,
      quotaStore: textSchema,
    },
    ['limit', 'remaining', 'resetAt', 'window', 'windows', 'planGuess', 'seenAt', 'blockedUntil', 'quotaStore'],
  ),
  dependentRequired: { windows: ['seenAt'], seenAt: ['windows'] },
  $defs: { window: objectSchema(window, ['limit', 'remaining', 'resetAt']) },
};
