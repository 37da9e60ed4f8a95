/** A jq program that was read already. */
export interface Jq {
  /** What it makes of a JSON document, ready to be written. Fails (system) where the program fails or is too slow. */
  run(document: string, options: { readonly forTerminal: boolean }): Promise<JqOutput>;
  close(): Promise<void>;
}

interface JqOutput {
  /** A line for each result: strings as they are, all else as JSON. */
  readonly text: string;
  /** What the program said with `debug`. */
  readonly said: string;
}

/** Reads a jq program. Fails (usage) in the words of jq where it is none. */
export type OpenJq = (program: string) => Promise<Jq>;
