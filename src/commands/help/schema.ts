import { exitCodes } from '../../cli/exit-codes.js';
import { enumSchema, type JsonSchema, objectSchema, schemaDialect, textSchema } from '../../format/json-schema.js';

const flagSchema: JsonSchema = { type: 'boolean' };
const textsSchema: JsonSchema = { type: 'array', items: textSchema };
const exitCodeSchema = enumSchema(exitCodes.map(({ code }) => code));

const value = {
  name: textSchema,
  description: textSchema,
  type: enumSchema([
    ...['boolean', 'integer', 'number', 'string'],
    ...['command', 'field', 'file', 'key-label', 'profile', 'setting', 'setting-value'],
  ]),
  choices: textsSchema,
  minimum: { type: 'number' },
  maximum: { type: 'number' },
  repeatable: flagSchema,
};
const optional = ['choices', 'minimum', 'maximum'] as const;
const defaultSchema = { type: ['string', 'number', 'boolean'] };

const argument = objectSchema({ ...value, required: flagSchema }, optional);

const flag = objectSchema(
  {
    ...value,
    short: textSchema,
    optionalValue: flagSchema,
    runsUntilCanceled: flagSchema,
    default: defaultSchema,
    variable: textSchema,
  },
  [...optional, 'short', 'optionalValue', 'runsUntilCanceled', 'default', 'variable'],
);

const command = objectSchema(
  {
    path: textSchema,
    summary: textSchema,
    aliases: textsSchema,
    arguments: { type: 'array', items: { $ref: '#/$defs/argument' } },
    flags: { type: 'array', items: { $ref: '#/$defs/flag' } },
    writes: flagSchema,
    runsUntilCanceled: flagSchema,
    examples: { type: 'array', items: objectSchema({ command: textSchema, description: textSchema }) },
    exitCodes: { type: 'array', items: exitCodeSchema },
    errorCodes: textsSchema,
    schema: textSchema,
  },
  ['schema'],
);

const setting = objectSchema(
  {
    name: textSchema,
    description: textSchema,
    type: enumSchema(['boolean', 'integer', 'number', 'string']),
    choices: textsSchema,
    minimum: value.minimum,
    maximum: value.maximum,
    default: defaultSchema,
    flag: textSchema,
    variable: textSchema,
    perProfile: flagSchema,
  },
  [...optional, 'flag', 'variable'],
);

const program = objectSchema(
  {
    commands: { type: 'array', items: { $ref: '#/$defs/event' } },
    globalFlags: { type: 'array', items: { $ref: '#/$defs/flag' } },
    settings: { type: 'array', items: setting },
    exitCodes: { type: 'array', items: objectSchema({ code: exitCodeSchema, meaning: textSchema }) },
    errorCodes: { type: 'array', items: objectSchema({ code: textSchema, meaning: textSchema, fix: textSchema }) },
  },
  // After the words of a command, there is only that command.
  ['globalFlags', 'settings', 'exitCodes', 'errorCodes'],
);

/** The description of the commands, or a JSON Schema. */
export const helpSchema: JsonSchema = {
  if: { type: 'object', required: ['commands'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: program,
  else: { $ref: schemaDialect },
  $defs: { argument, flag, event: command },
};
