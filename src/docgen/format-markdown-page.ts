import { wrapText } from '../format/definition-list.js';
import type { ManPage, PageBlock } from './man-page.js';

const maxColumns = 120;

/** Formats a page of the manual as a Markdown page of the docs. */
export function formatMarkdownPage({ parts }: ManPage, title: string): string {
  const sections = parts.map(({ title: heading, blocks }) => [
    ...(heading === 'Description' ? [] : [`## ${heading}\n`]),
    ...blocks.map(formatBlock),
  ]);
  return [`# ${title}\n`, ...sections.flat()].join('\n');
}

function formatBlock(block: PageBlock): string {
  switch (block.kind) {
    case 'text':
      return wrapText(block.text, '', maxColumns);
    case 'usage':
      return `\`${block.line}\`\n`;
    case 'example':
      return `${wrapText(`${block.caption}:`, '', maxColumns)}\n\`\`\`sh\n${block.line}\n\`\`\`\n`;
    case 'list':
      return block.items.map(({ term, text }) => formatItem(term, text)).join('');
  }
}

function formatItem(term: string, text: string): string {
  const [first = '', ...rest] = wrapText(`${formatTerm(term)}: ${text}`, '  ', maxColumns).split('\n');
  return [`- ${first.trimStart()}`, ...rest].join('\n');
}

/** Marks flags, variables, members and commands as code. */
function formatTerm(term: string): string {
  return /^[A-Z][A-Za-z]* /.test(term)
    ? term
    : term.replaceAll(/[^,]+?(?=,|$)/g, (name) => name.replace(/\S.*/, '`$&`'));
}
