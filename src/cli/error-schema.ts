import { enumSchema, type JsonSchema, objectSchema, textSchema, timeSchema } from '../format/json-schema.js';
import { exitCodes } from './exit-codes.js';

const choicesSchema: JsonSchema = { type: 'array', items: textSchema };

/** The last line on stderr if a command fails with a machine format. */
export const errorSchema: JsonSchema = objectSchema({
  error: objectSchema(
    {
      code: textSchema,
      message: textSchema,
      hint: textSchema,
      status: { type: 'integer', minimum: 100, maximum: 999 },
      exitCode: enumSchema(exitCodes.map(({ code }) => code).filter((code) => code !== 0)),
      retryAt: timeSchema,
      missing: {
        type: 'array',
        items: {
          anyOf: [
            objectSchema({ flag: textSchema, choices: choicesSchema }, ['choices']),
            objectSchema({ argument: textSchema, choices: choicesSchema }, ['choices']),
          ],
        },
      },
      next: { type: 'array', items: textSchema },
    },
    ['hint', 'status', 'retryAt', 'missing', 'next'],
  ),
});
