/** True for text that holds a key in full as the store makes them, or most of one. */
export function looksLikeKey(text: string): boolean {
  return /pets_[0-9a-z]{20}/i.test(text);
}
