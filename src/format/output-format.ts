import { extname } from 'node:path';

/** Values of `--output`. */
export const outputFormats = ['table', 'json', 'ndjson', 'yaml', 'csv', 'tsv'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** The formats of files that can be imported. */
export const importFormats = ['csv', 'json', 'ndjson'] as const;
export type ImportFormat = (typeof importFormats)[number];

const extensionAliases = new Map([
  ['jsonl', 'ndjson'],
  ['yml', 'yaml'],
]);

/** Returns the format for the extension of a file. */
export function formatOfExtension(path: string): Exclude<OutputFormat, 'table'> | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  const name = extensionAliases.get(extension) ?? extension;
  return outputFormats.filter((format) => format !== 'table').find((format) => format === name);
}
