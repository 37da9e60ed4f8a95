import type { PetRecord } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { usageError } from '../../failure.js';
import { formatCount } from '../../format/duration.js';
import { type OutputFormat, outputFormats } from '../../format/output-format.js';
import { fetchAllPages, type PetQuery } from './fetch-all-pages.js';
import { petColumns } from './list.js';
import { showFetchProgress } from './show-fetch-progress.js';

export interface ExportOptions extends Pick<PetQuery, 'status'> {
  readonly force?: true;
}

/** Writes every pet to stdout or to a file, which appears only once it is complete. */
export async function exportPets(context: AppContext, path = '-', options: ExportOptions): Promise<CommandResult> {
  context.terminal.checkFields(petColumns);
  if (path !== '-' && context.flags.jq !== undefined) {
    throw usageError(
      'invalid_flag',
      '--jq cannot be used when exporting to a file',
      'omit the file to print the filtered pets to stdout',
    );
  }
  const { format, reason } = chooseFormat(context, path);
  const client = await context.client();
  const file =
    path === '-' ? undefined : await (await context.files()).createFile(path, { force: options.force === true });
  if (reason !== undefined && file) {
    const choices = fileFormats.join(', ');
    context.terminal.notice(
      `Writing ${path} as ${format.toUpperCase()}${reason}. To choose another format, pass --output with one of ${choices}.`,
    );
  }
  const pages = fetchAllPages(client, options);
  let count = 0;
  const countPets = async function* (pages: AsyncIterable<readonly PetRecord[]>) {
    for await (const page of pages) {
      count += page.length;
      yield page;
    }
  };
  const describeExport = () => `Exported ${formatCount(count, 'pet')} to ${path}`;
  return {
    kind: 'records',
    columns: petColumns,
    batches: showFetchProgress(countPets(pages), context, !file),
    streamed: { format, ...(file && { file, onPartialFile: () => context.terminal.notice(`${describeExport()}.`) }) },
    emptyMessage: 'No pets found.',
    onRendered: () => {
      if (file) context.terminal.success(describeExport());
    },
  };
}

const fileFormats = outputFormats.filter((format) => format !== 'table');

/**
 * Returns the format of the flag, else the one of the file extension, else the one that the user saved or set in the
 * environment, else NDJSON. `reason` says where a format comes from that the command line does not show.
 */
function chooseFormat({ settings }: AppContext, path: string): { format: OutputFormat; reason?: string } {
  const { output } = settings;
  const { origin, variable } = settings.all.find(({ name }) => name === 'output') ?? {};
  if (origin === 'flag') {
    if (output !== 'table') return { format: output };
    const hint = `pass --output with one of ${fileFormats.join(', ')}`;
    throw usageError('invalid_flag', 'pets cannot be exported as a table', hint);
  }
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  const aliases: Readonly<Record<string, OutputFormat>> = { jsonl: 'ndjson', yml: 'yaml' };
  const format = aliases[extension] ?? fileFormats.find((name) => name === extension);
  if (format !== undefined) return { format };
  if (output === 'table') return { format: 'ndjson', reason: '' };
  const source = variable ?? (origin === 'profile' ? `the profile ${settings.profile}` : 'the setting output');
  return { format: output, reason: `, the format of ${source}` };
}
