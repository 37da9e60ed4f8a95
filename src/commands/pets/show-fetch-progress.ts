import type { PetRecord } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import { formatCount } from '../../format/duration.js';

/**
 * Yields the pages, and shows the number of pets in them until the last one. `isStreamed`: the pets are printed as they
 * arrive. They show the progress themselves, and the reader of a pipe may print to the same terminal.
 */
export async function* showFetchProgress(
  pages: AsyncIterable<readonly PetRecord[]>,
  { flags, settings, terminal }: AppContext,
  isStreamed = ['ndjson', 'csv', 'tsv'].includes(settings.output),
): AsyncIterable<readonly PetRecord[]> {
  if (isStreamed && flags.jq === undefined) return yield* pages;
  let count = 0;
  const progress = terminal.startProgress(() =>
    count === 0 ? 'Fetching pets' : `Fetched ${formatCount(count, 'pet')}`,
  );
  try {
    for await (const page of pages) {
      count += page.length;
      yield page;
    }
  } finally {
    await progress.stop();
  }
}
