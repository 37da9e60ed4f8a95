/** A failure that a store is told to make, so that people can test their scripts. */
export interface Fault {
  /** The status to answer with; or the connection is reset, before the request is carried out or after. */
  readonly kind: number | 'reset';
  /** From 0 to 1. */
  readonly probability: number;
}
