import type { Context } from '../../app/context.js';
import type { Shown } from '../../cli/command-result.js';

/** Where settings and profiles are kept, whether the file can be read or not. */
export async function path({ config }: Context): Promise<Shown> {
  return {
    kind: 'record',
    columns: [{ key: 'path' }],
    record: { path: config.path },
    text: `${config.path}\n`,
  };
}
