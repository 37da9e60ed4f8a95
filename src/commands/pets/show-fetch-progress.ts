import type { PetRecord } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import { formatCount } from '../../format/duration.js';

/**
 * Yields the pages, and shows the number of pets in them until the last one. Shows nothing if the pets are printed on the
 * terminal as they arrive.
 */
export async function* showFetchProgress(
  pages: AsyncIterable<readonly PetRecord[]>,
  { flags, runtime, settings, terminal }: AppContext,
  isStreamed = ['ndjson', 'csv', 'tsv'].includes(settings.output),
): AsyncIterable<readonly PetRecord[]> {
  if (isStreamed && flags.jq === undefined && runtime.terminal.stdout.isTerminal) return yield* pages;
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
