/** How a terminal dresses text; the identity where colour is off. */
export interface Style {
  readonly heading: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly status: (text: string) => string;
  readonly error: (text: string) => string;
}
