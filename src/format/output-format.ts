/** The output formats (`--output`). */
export const formats = ['table', 'json', 'ndjson', 'yaml', 'csv', 'tsv'] as const;
export type Format = (typeof formats)[number];
