import { type JsonSchema, listSchema, nullableTextSchema, objectSchema, textSchema } from '../../format/json-schema.js';
import { outputFormats } from '../../format/output-format.js';

export const profileSchema: JsonSchema = objectSchema({
  name: textSchema,
  current: { type: 'boolean' },
  baseUrl: nullableTextSchema,
  output: { enum: [...outputFormats, null] },
  key: nullableTextSchema,
  readOnly: { type: 'boolean' },
});

export const profileListSchema = listSchema(profileSchema);
