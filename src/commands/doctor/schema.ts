import { enumSchema, type JsonSchema, listSchema, objectSchema, textSchema } from '../../format/json-schema.js';
import { ruleSections } from './contract/findings.js';

const checkNames = [
  'node',
  'sqlite',
  'permissions',
  'configuration',
  'quota-store',
  'profile',
  'api-key',
  'service',
  'clock',
] as const;

export type CheckName = (typeof checkNames)[number];

const status = enumSchema(['ok', 'warning', 'failed', 'skipped']);

const check = objectSchema(
  {
    check: enumSchema(checkNames),
    status,
    detail: textSchema,
    advice: textSchema,
  },
  ['detail', 'advice'],
);

const rule = objectSchema(
  {
    rule: enumSchema(Object.keys(ruleSections)),
    status,
    detail: textSchema,
    section: textSchema,
  },
  ['detail'],
);

/** The checks, or with `--contract` the rules. */
export const reportSchema: JsonSchema = listSchema({ anyOf: [check, rule] });
