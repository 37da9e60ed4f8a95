import { anySchema, type JsonSchema, listFields } from '../format/json-schema.js';
import { statusSchema as authStatusSchema, tokenSchema } from './auth/schema.js';
import { pathSchema, settingListSchema, settingSchema } from './config/schema.js';
import { reportSchema } from './doctor/schema.js';
import { helpSchema } from './help/schema.js';
import { addedPetSchema, exportSchema, importSchema, petListSchema, petSchema } from './pets/schema.js';
import { profileListSchema, profileSchema } from './profile/schema.js';
import { quotaSchema } from './quota/schema.js';
import { statusSchema as sandboxStatusSchema } from './sandbox/schema.js';
import { createdKeySchema, keyListSchema, serveSchema } from './serve/schema.js';

/**
 * The schemas of all JSON that commands print, by command. They are apart from the commands, since startup reads the
 * declarations of commands but no schema.
 */
export const schemas: Readonly<Record<string, JsonSchema>> = {
  'pets list': petListSchema,
  'pets add': addedPetSchema,
  'pets get': petSchema,
  'pets import': importSchema,
  'pets export': exportSchema,
  'orders list': anySchema,
  'auth status': authStatusSchema,
  'auth token': tokenSchema,
  'profile list': profileListSchema,
  'profile show': profileSchema,
  'config list': settingListSchema,
  'config get': settingSchema,
  'config path': pathSchema,
  quota: quotaSchema,
  api: anySchema,
  'sandbox status': sandboxStatusSchema,
  serve: serveSchema,
  'serve keys create': createdKeySchema,
  'serve keys list': keyListSchema,
  'serve keys rotate': createdKeySchema,
  doctor: reportSchema,
  help: helpSchema,
};

/** Returns the schema of a command's JSON; undefined if it prints none. `words` begin with `petstore`. */
export function findSchema(words: readonly string[]): JsonSchema | undefined {
  const path = words.slice(1).join(' ');
  return Object.hasOwn(schemas, path) ? schemas[path] : undefined;
}

/** Returns the keys that `--fields` takes. */
export function findFields(words: readonly string[]): readonly string[] {
  const schema = findSchema(words);
  return schema ? listFields(schema) : [];
}
