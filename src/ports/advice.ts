/** What to do where an optional package is missing. */
export const installOptional = 'install petstore again with --include=optional';

/** What to do where something else than the store answers. */
export const checkBaseUrl = 'check that the base URL leads to the store, version segment included';
