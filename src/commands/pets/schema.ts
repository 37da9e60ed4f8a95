import { newPetFields, type PetField, petFields, petStatuses } from '../../api/pet.js';
import {
  countSchema,
  enumSchema,
  int64Schema,
  type JsonSchema,
  objectSchema,
  textSchema,
  timeSchema,
} from '../../format/json-schema.js';

const types: Readonly<Record<PetField['type'], JsonSchema>> = {
  string: textSchema,
  int64: int64Schema,
  // A newer service may send other values.
  status: { type: 'string', anyOf: [enumSchema(petStatuses), {}] },
};

/** A pet from the service. It may have more members than the API spec describes. */
export const petSchema: JsonSchema = { ...toSchema(petFields), additionalProperties: true };

function toSchema(fields: readonly PetField[]): JsonSchema {
  const optional = fields.filter(({ required }) => !required).map(({ name }) => name);
  return objectSchema(Object.fromEntries(fields.map(({ name, type }) => [name, types[type]])), optional);
}

const petReference: JsonSchema = { $ref: '#/$defs/pet' };

/** The lines of `--watch` are changes. */
export const petListSchema: JsonSchema = {
  type: 'array',
  items: petReference,
  $defs: {
    pet: petSchema,
    change: objectSchema(
      { event: enumSchema(['added', 'removed', 'changed']), time: timeSchema, pet: petReference, before: petReference },
      ['before'],
    ),
    event: { anyOf: [petReference, { $ref: '#/$defs/change' }] },
  },
};

export const exportSchema: JsonSchema = {
  type: 'array',
  items: petReference,
  $defs: { pet: petSchema, event: petReference },
};

/** With `--dry-run`, the pet has no id. */
export const addedPetSchema: JsonSchema = { anyOf: [petSchema, toSchema(newPetFields)] };

const row = { line: { type: 'integer', minimum: 1 }, name: textSchema };

export const importSchema: JsonSchema = objectSchema(
  {
    added: countSchema,
    skipped: countSchema,
    rejected: countSchema,
    inDoubt: countSchema,
    notSent: countSchema,
    seconds: { type: 'number', minimum: 0 },
    rowsPerSecond: { type: 'number', minimum: 0 },
    doubts: { type: 'array', items: objectSchema(row) },
    rejections: { type: 'array', items: objectSchema({ ...row, reason: textSchema }) },
    journal: textSchema,
  },
  ['doubts', 'rejections', 'journal'],
);
