/** Values of `--output`. */
export const outputFormats = ['table', 'json', 'ndjson', 'yaml', 'csv', 'tsv'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** The formats of files that can be imported. */
export const importFormats = ['csv', 'json', 'ndjson'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** Formats of files, by extension. */
const formats: Readonly<Record<string, Exclude<OutputFormat, 'table'>>> = {
  csv: 'csv',
  json: 'json',
  jsonl: 'ndjson',
  ndjson: 'ndjson',
  tsv: 'tsv',
  yaml: 'yaml',
  yml: 'yaml',
};

const extensionPattern = /\.([^./\\]+)$/;

export function hasExtension(path: string): boolean {
  return extensionPattern.test(path);
}

/** Returns the format for the extension of a file. */
export function formatOfExtension(path: string): Exclude<OutputFormat, 'table'> | undefined {
  return new Map(Object.entries(formats)).get(extensionPattern.exec(path)?.[1]?.toLowerCase() ?? '');
}

/** Returns the format for the extension of a file to import. TSV is CSV with another separator. */
export function importFormatOfExtension(path: string): ImportFormat | undefined {
  const format = formatOfExtension(path);
  return format === 'tsv' ? 'csv' : importFormats.find((name) => name === format);
}
