import type { DefinitionItem } from '../format/wrap.js';
import type { ManPage, PageBlock } from './man-page.js';

/** The date of the last change to the manual. Set by hand, so that a build of the same commit has the same pages. */
const edition = '2026-11-23';

/** Formats a page in man(7) for groff and mandoc. */
export function formatRoff(page: ManPage, version: string): string {
  const { name, section, summary, parts } = page;
  return `${[
    `.\\" ${name}.${section} is generated from the command tree: npm run generate`,
    `.TH "${literal(name.toUpperCase())}" "${section}" "${edition}" "petstore ${version}" "petstore manual"`,
    // No hyphenation or justification, so that commands can be copied.
    '.nh',
    '.ad l',
    '.SH NAME',
    ...wrapSource(`${literal(name)} \\- ${prose(summary)}`),
    ...parts.flatMap(({ title, blocks }) => [
      `.SH ${title.toUpperCase()}`,
      ...blocks.flatMap((block, index) => formatBlock(block, index > 0 ? ['.PP'] : [])),
    ]),
  ].join('\n')}\n`;
}

/** `separator` is the macro before a block that does not start with one. */
function formatBlock(block: PageBlock, separator: readonly string[]): readonly string[] {
  switch (block.kind) {
    case 'text':
      return [...separator, ...textLines(block.text)];
    case 'usage':
      return [formatTerm(block.line)];
    case 'example':
      return [
        ...separator,
        ...textLines(`${block.caption}:`),
        '.PP',
        '.RS 4',
        '.nf',
        literal(`$ ${block.line}`),
        '.fi',
        '.RE',
      ];
    case 'list':
      return block.items.flatMap(formatItem);
  }
}

function formatItem({ term, text }: DefinitionItem): readonly string[] {
  return ['.TP', formatTerm(term), ...textLines(text)];
}

/** Sets literal words in bold and placeholders in italics. */
function formatTerm(line: string): string {
  return escapeRequest(
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

/** Writes one sentence per line, as troff expects; sets code in bold. */
function textLines(text: string): readonly string[] {
  const sentences = text.replaceAll(/(`[^`]*`)|([.;:]) (?=\S)/g, (_, code, end) => code ?? `${end}\n`).split('\n');
  return sentences.flatMap((sentence) => wrapSource(escapeRequest(prose(sentence))));
}

function wrapSource(line: string): readonly string[] {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 78) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map(escapeRequest);
}

function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? bold(part.slice(1, -1)) : escapeText(part)))
    .join('');
}

function bold(text: string): string {
  const [, before = '', words = '', after = ''] = /^( *)(.*?)( *)$/s.exec(text) ?? [];
  return words === '' ? text : `${before}\\fB${literal(words)}\\fR${after}`;
}

/** Escapes literal text: hyphens become minus signs and quotes stay upright (groff_man_style(7)). */
function literal(text: string): string {
  return escapeRequest(
    escapeText(text)
      .replaceAll('-', '\\-')
      .replaceAll('~', '\\(ti')
      .replaceAll('^', '\\(ha')
      .replaceAll("'", '\\(aq')
      .replaceAll('`', '\\(ga'),
  );
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('"', '\\(dq');
}

/** Protects a line that starts like a troff request. */
function escapeRequest(line: string): string {
  return line.replace(/^[.']/, '\\&$&');
}
