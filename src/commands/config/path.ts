import type { Context } from '../../app/context.js';
import type { Column, Shown } from '../../cli/command-result.js';

export const columns: readonly Column[] = [{ key: 'path' }];

/** Where settings and profiles are kept, whether the file can be read or not. */
export async function path({ config }: Context): Promise<Shown> {
  return {
    kind: 'record',
    columns,
    record: { path: config.path },
    text: `${config.path}\n`,
  };
}
