import { extname } from 'node:path';
import type { PetRecord } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import { writeRecords } from '../../cli/write-records.js';
import { getSetting } from '../../config/settings.js';
import { Failure, usageError } from '../../failure.js';
import { formatCount } from '../../format/duration.js';
import { formatOfExtension, type OutputFormat, outputFormats } from '../../format/output-format.js';
import { fetchPets, type PetQuery, showFetchProgress } from './fetch-pets.js';

export interface ExportOptions extends Pick<PetQuery, 'status'> {
  readonly force?: true;
}

/** Writes every pet to stdout or to a file, which appears only once it is complete. */
export async function exportPets(context: AppContext, path = '-', options: ExportOptions): Promise<void> {
  if (path !== '-' && context.flags.jq !== undefined) {
    throw usageError(
      'invalid_flag',
      '--jq cannot be used when exporting to a file',
      'omit the file to print the filtered pets to stdout',
    );
  }
  const format = chooseFormat(context, path);
  const client = await context.client();
  const pages = fetchPets(client, options, Number.POSITIVE_INFINITY, () => {});
  if (path !== '-') return writeFile(context, pages, { path, format, force: options.force === true });
  await context.print({
    kind: 'records',
    columns: context.columns,
    records: showFetchProgress(pages, context, true),
    streamFormat: format,
    emptyMessage: 'No pets found.',
  });
}

async function writeFile(
  context: AppContext,
  pages: AsyncIterable<readonly PetRecord[]>,
  { path, format, force }: { readonly path: string; readonly format: OutputFormat; readonly force: boolean },
): Promise<void> {
  const { columns, settings, terminal } = context;
  const file = await (await context.files()).createFile(path, { force });
  const out = { isTerminal: false, isClosed: false, write: file.write };
  let count = 0;
  const countPets = async function* () {
    for await (const page of showFetchProgress(pages, context, false)) {
      count += page.length;
      yield page;
    }
  };
  const describeExport = () => `Exported ${formatCount(count, 'pet')} to ${path}`;
  try {
    await writeRecords({ columns, records: countPets() }, { ...settings, output: format }, out);
    await file.commit();
    terminal.success(describeExport());
  } catch (error) {
    // The file has every pet that the service listed, although the list may be incomplete.
    if (error instanceof Failure && error.kind === 'partial') {
      await file.commit();
      terminal.notice(`${describeExport()}.`);
    }
    throw error;
  } finally {
    await file.discard();
  }
}

/** Returns the format of `--output`, else that of the file extension, else NDJSON. */
function chooseFormat({ settings }: AppContext, path: string): OutputFormat {
  const { output } = settings;
  const isChosen = getSetting(settings, 'output').origin === 'flag';
  const choices = outputFormats.filter((format) => format !== 'table').join(', ');
  if (isChosen && output === 'table') {
    throw usageError('invalid_flag', 'pets cannot be exported as a table', `pass --output with one of ${choices}`);
  }
  if (isChosen || path === '-') return output === 'table' ? 'ndjson' : output;
  const format = formatOfExtension(path);
  if (format === undefined && extname(path) !== '') {
    const hint = `pass --output with one of ${choices}, or a file name with one of these extensions`;
    throw usageError('invalid_argument', `the extension of ${path} is not that of a known format`, hint);
  }
  return format ?? 'ndjson';
}
