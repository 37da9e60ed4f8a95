/** Functions that color the tokens of a JSON document. */
export interface JsonStyles {
  readonly key: (text: string) => string;
  readonly text: (text: string) => string;
  /** A number, `true`, `false` or `null`. */
  readonly literal: (text: string) => string;
}

const token = /("[^"\\]*(?:\\.[^"\\]*)*")(:?)|-?\d[\d.eE+-]*|true|false|null/g;

/** In UTF-16 units. In a longer line, a string could overflow the stack of the regular expression. */
const maxLineLength = 100_000;

/** Colors JSON without changing its text. No JSON string contains a line feed. */
export function highlightJson(json: string, styles: JsonStyles): string {
  const paint = (literal: string, string: string | undefined, colon: string) => {
    if (string === undefined) return styles.literal(literal);
    return colon === '' ? styles.text(string) : styles.key(string) + colon;
  };
  return json.replace(/.+/g, (line) => (line.length > maxLineLength ? line : line.replace(token, paint)));
}
