/** Functions that color the tokens of a JSON document. */
export interface JsonStyles {
  readonly key: (text: string) => string;
  readonly text: (text: string) => string;
  /** A number, `true`, `false` or `null`. */
  readonly literal: (text: string) => string;
}

/**
 * Colors JSON without changing its text. Returns pieces, so that a large document is never in memory twice. A piece ends at
 * the end of a line, since no JSON string contains a line feed.
 */
export function* highlightJson(json: string, styles: JsonStyles): Iterable<string> {
  const escapes = {
    key: splitEscapes(styles.key),
    text: splitEscapes(styles.text),
    literal: splitEscapes(styles.literal),
  };
  for (let start = 0; start < json.length; ) {
    const lineEnd = json.indexOf('\n', start + pieceLength) + 1 || json.length;
    yield highlightLines(json.slice(start, lineEnd), escapes);
    start = lineEnd;
  }
}

/** In UTF-16 units; a piece is longer by the rest of its last line. */
const pieceLength = 65_536;

type Escapes = readonly [before: string, after: string];

/** Returns the escape sequences of a style, which are the same for each token. */
function splitEscapes(style: (text: string) => string): Escapes {
  const [before = '', after = ''] = style('\0').split('\0');
  return [before, after];
}

function highlightLines(json: string, escapes: Readonly<Record<keyof JsonStyles, Escapes>>): string {
  const tokens = /"|-?\d[\d.eE+-]*|true|false|null/g;
  let text = '';
  let copied = 0;
  for (let token = tokens.exec(json); token; token = tokens.exec(json)) {
    const isString = token[0] === '"';
    const end = isString ? findStringEnd(json, token.index) : tokens.lastIndex;
    const [before, after] = escapes[!isString ? 'literal' : json[end] === ':' ? 'key' : 'text'];
    text += json.slice(copied, token.index) + before + json.slice(token.index, end) + after;
    copied = end;
    tokens.lastIndex = end;
  }
  return text + json.slice(copied);
}

/** Returns the index after a string. A regular expression for strings overflows the stack at some megabytes. */
function findStringEnd(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json[quote - backslashes - 1] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}
