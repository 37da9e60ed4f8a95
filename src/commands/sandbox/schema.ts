import { planNames } from '../../api/plan.js';
import { countSchema, enumSchema, type JsonSchema, objectSchema, textSchema } from '../../format/json-schema.js';

export const statusSchema: JsonSchema = objectSchema({
  path: textSchema,
  pets: countSchema,
  plan: enumSchema(planNames),
  perMinute: countSchema,
  perDay: countSchema,
});
