import { type JsonSchema, nullableTextSchema, objectSchema, textSchema } from '../../format/json-schema.js';

export const statusSchema: JsonSchema = objectSchema(
  {
    profile: textSchema,
    baseUrl: nullableTextSchema,
    key: nullableTextSchema,
    source: nullableTextSchema,
    storage: nullableTextSchema,
    readOnly: { type: 'boolean' },
    valid: { type: 'boolean' },
  },
  // Only with `--check`.
  ['valid'],
);

export const tokenSchema: JsonSchema = objectSchema({ token: textSchema });
