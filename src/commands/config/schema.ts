import { settingNames } from '../../config/settings.js';
import { enumSchema, type JsonSchema, listSchema, objectSchema, textSchema } from '../../format/json-schema.js';

const setting = {
  name: enumSchema(settingNames),
  value: { type: ['string', 'number', 'boolean'] },
  source: textSchema,
};

export const settingSchema: JsonSchema = objectSchema(setting);

/** The source only with `--sources`. */
export const settingListSchema: JsonSchema = listSchema(objectSchema(setting, ['source']));

export const pathSchema: JsonSchema = objectSchema({ path: textSchema });
