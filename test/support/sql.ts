import type { SqlValue, Statement } from '../../src/server/sql.js';

/** Builds a statement from a template: values become parameters. */
export function sql(text: readonly string[], ...values: readonly SqlValue[]): Statement {
  return {
    text: text.reduce((before, piece, index) => `${before}:p${index - 1}${piece}`),
    values: Object.fromEntries(values.map((value, index) => [`p${index}`, value])),
  };
}
