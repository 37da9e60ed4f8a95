import { formatDefinitionList, wrapText } from '../format/definition-list.js';
import type { Block, Page } from './page.js';

const indent = '  ';
const widest = 99;

/** A page as plain text, no line wider than `width` columns where words allow it. */
export function formatPlain({ name, section, purpose, parts }: Page, width = 80): string {
  const columns = Math.min(width, widest);
  const head = `NAME\n${wrapText(`${name}(${section}) - ${purpose}`, indent, columns)}`;
  const rest = parts.map(
    ({ title, blocks }) =>
      `\n${title.toUpperCase()}\n${blocks.map((block) => formatBlock(block, columns)).join('\n')}`,
  );
  return [head, ...rest].join('');
}

function formatBlock(block: Block, width: number): string {
  switch (block.kind) {
    case 'text':
      return wrapText(unquoted(block.text), indent, width);
    case 'usage':
      return `${indent}${block.line}\n`;
    case 'example':
      return `${wrapText(block.purpose, `${indent}# `, width)}${indent}${block.line}\n`;
    case 'list': {
      const items = block.items.map(({ term, text }) => ({ term, text: unquoted(text) }));
      return formatDefinitionList(items, width);
    }
  }
}

function unquoted(text: string): string {
  return text.replaceAll('`', '');
}
