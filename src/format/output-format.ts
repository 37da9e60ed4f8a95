import { extname } from 'node:path';

/** Values of `--output`. */
export const outputFormats = ['table', 'json', 'ndjson', 'yaml', 'csv', 'tsv'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** The formats of files that can be imported. */
export const importFormats = ['csv', 'json', 'ndjson'] as const;
export type ImportFormat = (typeof importFormats)[number];

const formatsByExtension = new Map<string, Exclude<OutputFormat, 'table'>>([
  ['csv', 'csv'],
  ['json', 'json'],
  ['jsonl', 'ndjson'],
  ['ndjson', 'ndjson'],
  ['tsv', 'tsv'],
  ['yaml', 'yaml'],
  ['yml', 'yaml'],
]);

/** Returns the format for the extension of a file. */
export function formatOfExtension(path: string): Exclude<OutputFormat, 'table'> | undefined {
  return formatsByExtension.get(extname(path).slice(1).toLowerCase());
}
