import text from '../../man/notes.md';

/**
 * Paragraphs for the manual pages by the words of the command or the name of the topic. Code stands between backticks.
 */
export const notes: ReadonlyMap<string, readonly string[]> = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...paragraphs] = section.trim().split(/\n{2,}/);
      return [title, paragraphs.map((paragraph) => paragraph.replaceAll('\n', ' '))];
    }),
);
