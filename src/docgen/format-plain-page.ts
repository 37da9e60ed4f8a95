import { formatDefinitionList, wrapMessage } from '../format/wrap.js';
import type { ManPage, PageBlock } from './man-page.js';

const indent = '  ';
const maxColumns = 99;

/** Formats a page as plain text wrapped to `width` columns (at most 99). */
export function formatPlainPage({ name, section, summary, parts }: ManPage, width = 80): string {
  const columns = Math.min(width, maxColumns);
  const head = `NAME\n${wrapMessage(`${name}(${section}) - ${summary}`, columns, indent, indent)}`;
  const rest = parts.map(
    ({ title, blocks }) => `\n${title.toUpperCase()}\n${blocks.map((block) => formatBlock(block, columns)).join('\n')}`,
  );
  return [head, ...rest].join('');
}

function formatBlock(block: PageBlock, width: number): string {
  switch (block.kind) {
    case 'text':
      return wrapMessage(withoutBackticks(block.text), width, indent, indent);
    case 'usage':
      return `${indent}${block.line}\n`;
    case 'example':
      return `${wrapMessage(withoutBackticks(block.caption), width, `${indent}# `, `${indent}# `)}${indent}${block.line}\n`;
    case 'list': {
      const items = block.items.map(({ term, text }) => ({ term, text: withoutBackticks(text) }));
      return formatDefinitionList(items, width);
    }
  }
}

function withoutBackticks(text: string): string {
  return text.replaceAll('`', '');
}
