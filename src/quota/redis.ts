/** Text of a reply, a number, nothing, or a list of such. */
export type RedisReply = string | number | null | readonly RedisReply[];

/** Redis or Valkey, as far as it is used here. Whatever goes wrong with it is a `RedisError`. */
export interface Redis {
  /** Host, port and database, for people; never user or password. */
  readonly place: string;
  /** Sends one command, connecting first where need be; rejects once `within` milliseconds are over. */
  send(words: readonly string[], within: number): Promise<RedisReply>;
  /** Runs a script in Lua, which nothing else interrupts there. */
  run(
    script: string,
    keys: readonly string[],
    values: readonly string[],
    within: number,
  ): Promise<RedisReply>;
  /** Ends it at once, whatever is under way. */
  close(): void;
}

/** Why Redis cannot be used; the message completes "redis://host:6379/0". */
export class RedisError extends Error {
  override readonly name = 'RedisError';
  /** The first word of an error that Redis itself answered. */
  readonly code: string | undefined;

  constructor(message: string, { code, cause }: { code?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.code = code;
  }
}
