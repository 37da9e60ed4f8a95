import { margins, wrapMessage } from '../format/wrap.js';
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
      return wrapMessage(block.text, maxColumns, margins(''));
    case 'usage':
      return `\`${block.line}\`\n`;
    case 'example':
      return `${wrapMessage(`${block.caption}:`, maxColumns, margins(''))}\n\`\`\`sh\n${block.line}\n\`\`\`\n`;
    case 'list':
      return block.items.map(({ term, text }) => formatItem(term, text)).join('');
  }
}

function formatItem(term: string, text: string): string {
  const [first = '', ...rest] = wrapMessage(`${formatTerm(term)}: ${text}`, maxColumns, margins('  ')).split('\n');
  return [`- ${first.trimStart()}`, ...rest].join('\n');
}

/** Marks flags, variables, members and commands as code. */
function formatTerm(term: string): string {
  return /^[A-Z][A-Za-z]* /.test(term)
    ? term
    : term.replaceAll(/[^,]+?(?=,|$)/g, (name) => name.replace(/\S.*/, '`$&`'));
}
