import type { DefinitionItem } from '../format/definition-list.js';
import type { Block, Page } from './page.js';

/** The day on which the manual last said something new. */
const edition = '2026-11-21';

/** A page in man(7), as groff and mandoc read it. */
export function formatRoff(page: Page, version: string): string {
  const { name, section, purpose, parts } = page;
  return `${[
    `.\\" ${name}.${section} is generated from the command tree: npm run generate`,
    `.TH "${literal(name.toUpperCase())}" "${section}" "${edition}" "petstore ${version}" "petstore manual"`,
    // What is copied from a page must not be broken in two.
    '.nh',
    '.ad l',
    '.SH NAME',
    ...folded(`${literal(name)} \\- ${prose(purpose)}`),
    ...parts.flatMap(({ title, blocks }) => [
      `.SH ${title.toUpperCase()}`,
      ...blocks.flatMap((block, index) => formatBlock(block, index > 0)),
    ]),
  ].join('\n')}\n`;
}

function formatBlock(block: Block, follows: boolean): readonly string[] {
  switch (block.kind) {
    case 'text':
      return [...(follows ? ['.PP'] : []), ...textLines(block.text)];
    case 'usage':
      return [term(block.line)];
    case 'example':
      return [
        ...(follows ? ['.PP'] : []),
        ...textLines(`${block.purpose}:`),
        '.PP',
        '.RS 4',
        '.nf',
        literal(`$ ${block.line}`),
        '.fi',
        '.RE',
      ];
    case 'list':
      return block.items.flatMap(item);
  }
}

function item({ term: words, text }: DefinitionItem): readonly string[] {
  return ['.TP', term(words), ...textLines(text)];
}

/** Words to type in bold, words that stand for others in italics. */
function term(line: string): string {
  return control(
    line
      .split(/([<[][^\]>]*[>\]]|, )/)
      .filter((part) => part !== '')
      .map((part) => {
        if (part === ', ') return part;
        return /^[<[]/.test(part) ? `\\fI${literal(part)}\\fR` : bold(part);
      })
      .join(''),
  );
}

/** A line for each sentence, as troff likes it; what stands between backticks in bold. */
function textLines(text: string): readonly string[] {
  return text.split(/(?<=[.;:]) (?=\S)/).flatMap((sentence) => folded(control(prose(sentence))));
}

/** Lines of source that a person can read. */
function folded(line: string): readonly string[] {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 78) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map(control);
}

function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? bold(part.slice(1, -1)) : escaped(part)))
    .join('');
}

function bold(text: string): string {
  const [, before = '', words = '', after = ''] = /^( *)(.*?)( *)$/s.exec(text) ?? [];
  return words === '' ? text : `${before}\\fB${literal(words)}\\fR${after}`;
}

/** Text to type: hyphens that are minus signs, quotes that stay upright (groff_man_style(7)). */
function literal(text: string): string {
  return control(
    escaped(text)
      .replaceAll('-', '\\-')
      .replaceAll('~', '\\(ti')
      .replaceAll('^', '\\(ha')
      .replaceAll("'", '\\(aq')
      .replaceAll('`', '\\(ga'),
  );
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('"', '\\(dq');
}

/** A line that begins with one of these would be a request. */
function control(line: string): string {
  return line.replace(/^[.']/, '\\&$&');
}
