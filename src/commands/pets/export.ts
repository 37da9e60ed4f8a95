import type { PetStatus } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { getSettingOrigin } from '../../config/settings.js';
import { usageError } from '../../failure.js';
import { type OutputFormat, outputFormats } from '../../format/output-format.js';
import { petColumns } from './columns.js';
import { everyPage } from './list.js';

export interface ExportOptions {
  readonly status?: PetStatus;
  readonly force?: true;
}

/** Every pet that the service lets us list, as it comes, to a file that appears whole, or to stdout. */
export async function exportPets(
  context: AppContext,
  path: string | undefined,
  { status, force }: ExportOptions,
): Promise<CommandResult> {
  context.terminal.checkFields(petColumns);
  if (path !== undefined && path !== '-' && context.flags.jq !== undefined) {
    throw usageError(
      'invalid_flag',
      'a file holds every pet, and --jq would change that; leave one out',
    );
  }
  const format = formatOf(context, path);
  const client = await context.client();
  const file =
    path === undefined || path === '-'
      ? undefined
      : await (await context.files()).createFile(path, { force: force === true });
  return {
    kind: 'records',
    columns: petColumns,
    batches: everyPage(client, { ...(status && { status }) }),
    streamed: { format, ...(file && { file }) },
    emptyMessage: 'No pets found.',
  };
}

/** The format that was asked for, else that of the file's name, else NDJSON. */
function formatOf({ settings }: AppContext, path = ''): OutputFormat {
  if (getSettingOrigin(settings, 'output') !== 'default') {
    if (settings.output !== 'table') return settings.output;
    const choices = outputFormats.filter((format) => format !== 'table').join(', ');
    throw usageError('invalid_flag', `an export is no table; --output takes ${choices}`);
  }
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  const byName: Readonly<Record<string, OutputFormat>> = { jsonl: 'ndjson', yml: 'yaml' };
  const named = byName[ending] ?? outputFormats.find((format) => format === ending);
  return named === undefined || named === 'table' ? 'ndjson' : named;
}
