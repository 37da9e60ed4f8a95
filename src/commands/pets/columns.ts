import type { Column } from '../../cli/command-result.js';

/** How a pet is shown: the interface's fields, in its order. */
export const petColumns: readonly Column[] = [
  { key: 'id' },
  { key: 'name', canShrink: true },
  { key: 'categoryId' },
  { key: 'status', style: 'status' },
];
