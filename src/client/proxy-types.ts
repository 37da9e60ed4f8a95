/** A proxy on the way to a service. */
export interface HttpProxy {
  /** May hold a user and a password. */
  readonly address: string;
  /** Names of hosts that need none, with commas between them. */
  readonly none: string;
}
