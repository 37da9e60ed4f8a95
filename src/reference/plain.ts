import type { Block, Page } from './page.js';

const indent = '  ';
const widest = 99;

/** A page as plain text, no line wider than `width` columns where words allow it. */
export function formatPlain({ name, section, purpose, parts }: Page, width = 80): string {
  const columns = Math.min(width, widest);
  const head = `NAME\n${wrap(`${name}(${section}) - ${purpose}`, indent, columns)}`;
  const rest = parts.map(
    ({ title, blocks }) =>
      `\n${title.toUpperCase()}\n${blocks.map((block) => formatBlock(block, columns)).join('\n')}`,
  );
  return [head, ...rest].join('');
}

function formatBlock(block: Block, width: number): string {
  switch (block.kind) {
    case 'text':
      return wrap(unquoted(block.text), indent, width);
    case 'usage':
      return `${indent}${block.line}\n`;
    case 'example':
      return `${indent}# ${block.purpose}\n${indent}${block.line}\n`;
    case 'list': {
      const longest = Math.max(...block.items.map(({ term }) => term.length));
      return longest > 24 ? stacked(block.items, width) : aligned(block.items, longest, width);
    }
  }
}

type Items = Extract<Block, { kind: 'list' }>['items'];

function aligned(items: Items, longest: number, width: number): string {
  return items
    .map(({ term, text }) => {
      const margin = ' '.repeat(indent.length + longest + 2);
      const lines = wrap(unquoted(text), margin, width);
      return `${indent}${term.padEnd(longest + 2)}${lines.trimStart()}`;
    })
    .join('');
}

function stacked(items: Items, width: number): string {
  return items
    .map(({ term, text }) => `${indent}${term}\n${wrap(unquoted(text), indent.repeat(3), width)}`)
    .join('');
}

function wrap(text: string, margin: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && margin.length + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => `${margin}${one}\n`).join('');
}

function unquoted(text: string): string {
  return text.replaceAll('`', '');
}
