import type { PetRecord } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import { formatCount } from '../../format/duration.js';

/**
 * Yields the pages, and shows the number of pets in them until the last one. `isStreamed`: the pets are printed as they
 * arrive. Shows no progress if pets stream to a terminal. The reader of a pipe may print to the terminal, too, so nothing
 * is shown while it prints a page.
 */
export async function* showFetchProgress(
  pages: AsyncIterable<readonly PetRecord[]>,
  { flags, runtime, settings, terminal }: AppContext,
  isStreamed = ['ndjson', 'csv', 'tsv'].includes(settings.output),
): AsyncIterable<readonly PetRecord[]> {
  const hasReader = isStreamed && flags.jq === undefined;
  if (hasReader && runtime.terminal.stdout.isTerminal) return yield* pages;
  let count = 0;
  const progress = terminal.startProgress(() =>
    count === 0 ? 'Fetching pets' : `Fetched ${formatCount(count, 'pet')}`,
  );
  try {
    for await (const page of pages) {
      count += page.length;
      if (hasReader) progress.setPaused?.(true);
      yield page;
      if (hasReader) progress.setPaused?.(false);
    }
  } finally {
    await progress.stop();
  }
}
