/** What percent-encoded UTF-8 (RFC 3986 §2.1) stands for; nothing where the text is none. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
