/** What a file that is imported may be. */
export const importFormats = ['csv', 'json', 'ndjson'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** Requests at once, unless told otherwise. */
export const defaultConcurrency = 8;
