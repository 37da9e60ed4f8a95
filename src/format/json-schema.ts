/** A JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The version of JSON Schema. */
export const schemaDialect = 'https://json-schema.org/draft/2020-12/schema';

type Properties = Readonly<Record<string, JsonSchema>>;

export const textSchema: JsonSchema = { type: 'string' };
export const nullableTextSchema: JsonSchema = { type: ['string', 'null'] };
export const countSchema: JsonSchema = { type: 'integer', minimum: 0 };
/** A 64-bit integer; parsers that read numbers as doubles round the largest ones. */
export const int64Schema: JsonSchema = { type: 'integer', format: 'int64' };
/** An ISO 8601 time. */
export const timeSchema: JsonSchema = { type: 'string', format: 'date-time' };

/** Any JSON that a service sends. With NDJSON, other values than objects stand in an object. */
export const anySchema: JsonSchema = { $defs: { event: { type: 'object' } } };

export function enumSchema(values: readonly (string | number)[]): JsonSchema {
  return { enum: values };
}

/** Returns the schema of an object without other members. Members are required unless `optional` names them. */
export function objectSchema<const Members extends Properties>(
  properties: Members,
  optional: readonly (keyof Members)[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Returns the schema of a list, with the schema of one line of NDJSON as `$defs.event`. */
export function listSchema(item: JsonSchema): JsonSchema {
  return { type: 'array', items: { $ref: '#/$defs/event' }, $defs: { event: item } };
}

/** Returns the names of the members of the object that the schema describes, or of the objects in its list. */
export function listFields(schema: JsonSchema): readonly string[] {
  const definitions = (schema.$defs ?? {}) as Properties;
  const fieldsOf = ({ properties, items, anyOf, $ref }: JsonSchema): readonly string[] => {
    const [, name = ''] = /^#\/\$defs\/(.+)$/.exec(String($ref)) ?? [];
    const parts = [items, definitions[name], ...((anyOf ?? []) as readonly JsonSchema[])];
    return [...Object.keys(properties ?? {}), ...parts.flatMap((part) => (part ? fieldsOf(part as JsonSchema) : []))];
  };
  const fields = fieldsOf(schema);
  return [...new Set(fields.length > 0 ? fields : fieldsOf(definitions.event ?? {}))];
}
