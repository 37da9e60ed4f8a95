import { expect, test } from 'vitest';
import { render } from '../../src/cli/render.js';
import type { Terminal } from '../../src/ports/terminal.js';

test('a batch of hundreds of thousands is shown whole', async () => {
  const pets = Array.from({ length: 300_000 }, (_, id) => ({ id }));
  let written = '';
  const stdout = {
    isTerminal: false,
    columns: undefined,
    closed: false,
    write: async (content: string | Uint8Array) => {
      written += content;
    },
  };
  const batches = (async function* () {
    yield pets;
  })();
  await render(
    { kind: 'records', columns: [{ key: 'id' }], batches, empty: '' },
    { output: 'json', header: true, color: 'never', quiet: true, pager: '' },
    { stdout } as unknown as Terminal,
  );
  expect(JSON.parse(written)).toEqual(pets);
});
