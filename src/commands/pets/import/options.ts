/** The formats of files that can be imported. */
export const importFormats = ['csv', 'json', 'ndjson'] as const;
export type ImportFormat = (typeof importFormats)[number];

export interface ImportOptions {
  readonly format?: ImportFormat;
  readonly journal?: string;
  readonly rejects?: string;
  /** Overwrites the rejects file. */
  readonly force?: true;
  readonly dryRun?: true;
}
