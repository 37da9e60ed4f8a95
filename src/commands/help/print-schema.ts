import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { errorSchema } from '../../cli/error-schema.js';
import type { CommandOutline } from '../../docgen/outline.js';
import { errorSchemaWord } from '../../docgen/topic-names.js';
import { usageError } from '../../failure.js';
import { formatJson } from '../../format/json.js';
import { type JsonSchema, schemaDialect } from '../../format/json-schema.js';
import { findSchema } from '../schemas.js';
import { findCommand } from './find-command.js';

/** Returns the JSON Schema of a command's JSON, or of an error. */
export async function printSchema(
  { settings }: AppContext,
  names: readonly string[],
  root: CommandOutline,
): Promise<CommandResult> {
  const { title, schema } = chooseSchema(names, root);
  const record = { $schema: schemaDialect, title, ...schema };
  const columns = Object.keys(record).map((key) => ({ key }));
  if (settings.output !== 'table' || settings.fields) return { kind: 'record', columns, record };
  return { kind: 'text', text: '', json: `${formatJson(record, 2)}\n` };
}

function chooseSchema(
  names: readonly string[],
  root: CommandOutline,
): { readonly title: string; readonly schema: JsonSchema } {
  const [first, second] = names;
  if (first === errorSchemaWord && second === undefined) return { title: 'error', schema: errorSchema };
  if (first === undefined) {
    const hint = 'run a command such as petstore help schema pets list';
    throw usageError('missing_argument', 'petstore help schema needs a command', hint, {
      missing: [{ syntax: 'command' }],
      next: [{ words: ['help', '--json'] }],
    });
  }
  const { words } = findCommand(names, root, [errorSchemaWord], ['help', 'schema']);
  const schema = findSchema(words);
  const title = words.join(' ');
  if (schema) return { title, schema };
  throw usageError('no_schema', `${title} prints no JSON`, [
    'run ',
    { words: ['help', '--json'] },
    ' to list the commands and their schemas',
  ]);
}
