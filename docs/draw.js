// Draws terminal screens as an SVG without scripts or fonts, on a light or dark background as the reader prefers.
import { isDeepStrictEqual } from 'node:util';

const cell = { width: 8.4, height: 20, baseline: 14.5 };
const padding = 24;
const titleBar = 44;

/**
 * Colors on a light and on a dark background: those of the terminal in the themes Light Modern and Dark Modern of Visual
 * Studio Code. `ink` and `paper` are the default foreground and background.
 */
const colors = {
  black: ['#000000', '#000000'],
  red: ['#cd3131', '#cd3131'],
  green: ['#107c10', '#0dbc79'],
  yellow: ['#949800', '#e5e510'],
  blue: ['#0451a5', '#2472c8'],
  magenta: ['#bc05bc', '#bc3fbc'],
  cyan: ['#0598bc', '#11a8cd'],
  white: ['#555555', '#e5e5e5'],
  brightblack: ['#666666', '#666666'],
  brightred: ['#cd3131', '#f14c4c'],
  brightgreen: ['#14ce14', '#23d18b'],
  brightyellow: ['#b5ba00', '#f5f543'],
  brightblue: ['#0451a5', '#3b8eea'],
  brightmagenta: ['#bc05bc', '#d670d6'],
  brightcyan: ['#0598bc', '#29b8db'],
  brightwhite: ['#a5a5a5', '#e5e5e5'],
  ink: ['#3b3b3b', '#cccccc'],
  paper: ['#f8f8f8', '#181818'],
  frame: ['#d4d4d4', '#3c3c3c'],
};
const colorNames = Object.keys(colors).slice(0, 16);

const attributes = {
  bold: 'font-weight:bold',
  dim: 'fill-opacity:.75',
  italic: 'font-style:italic',
  underline: 'text-decoration:underline',
};

/**
 * Returns an SVG of the frames down to the last line with text. Several frames are an animation, which shows only the
 * last one to readers who prefer reduced motion.
 */
export function draw(title, columns, frames) {
  const lines = frames[0].rows.map((_, y) => frames.map(({ rows }) => rows[y]));
  const lineCount = lines.findLastIndex((rows) => rows.some((row) => drawRow(row, 0) !== '')) + 1;
  const width = Math.ceil(columns * cell.width + 2 * padding);
  const height = titleBar + lineCount * cell.height + padding;
  const { at: lastStart, ms } = frames.at(-1);
  const duration = lastStart + ms;
  const starts = frames.map(({ at }) => `${Number(((at / duration) * 100).toFixed(2))}%`);
  const drawn = lines.slice(0, lineCount).map((rows, y) => drawLine(rows, y, height, starts));
  const body = drawn.flatMap(({ svg }) => svg || []).join('\n');
  const used = new Set(['ink', 'paper', 'frame', ...body.match(/(?<=class="[^"]*)\w+/g)]);
  const rules = Object.entries(attributes).flatMap(([name, rule]) => (used.has(name) ? `.${name}{${rule}}` : []));
  const css = [...rules, ...drawn.flatMap(({ keyframes }) => keyframes)];
  if (frames.length > 1) {
    css.push(`@media (prefers-reduced-motion:no-preference){g{animation:${duration}ms step-end infinite}}`);
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" xml:space="preserve" role="img">
<title>${escapeXml(title)}</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;font-variant-emoji:text;white-space:pre}
${formatColors(used, 0)}
@media (prefers-color-scheme:dark){${formatColors(used, 1)}}
${css.join('\n')}
</style>
<rect width="${width}" height="${height}" rx="10" class="frame"/>
<rect x="1" y="1" width="${width - 2}" height="${height - 2}" rx="9" class="paper"/>
<g class="frame"><circle cx="29" cy="22" r="5"/><circle cx="46" cy="22" r="5"/><circle cx="63" cy="22" r="5"/></g>
${body}
</svg>
`;
}

/** Returns CSS for the colors of a background: 0 is the light one, 1 the dark one. */
function formatColors(used, background) {
  const rules = Object.entries(colors).filter(([name]) => used.has(name));
  return rules.map(([name, values]) => `${name === 'ink' ? 'svg,' : ''}.${name}{fill:${values[background]}}`).join('');
}

/**
 * Draws one line of the screen in all frames. If the line changes, its versions are drawn one below the other, each at
 * the height of a whole picture, and the animation moves one of them into the picture.
 */
function drawLine(rows, y, height, starts) {
  const top = titleBar + y * cell.height;
  const inFrames = rows.map((row) => drawRow(row, top));
  const versions = [...new Set(inFrames)];
  if (versions.length === 1) return { svg: versions[0], keyframes: [] };
  const offsets = inFrames.map((version) => -height * versions.indexOf(version));
  const moves = offsets.map((offset, index) =>
    offset === offsets[index - 1] ? '' : `${starts[index]}{transform:translateY(${offset}px)}`,
  );
  const strip = versions.map((version, index) => drawRow(rows[inFrames.indexOf(version)], top + index * height));
  return {
    svg: [
      `<g style="animation-name:line${y}" transform="translate(0 ${offsets.at(-1)})">`,
      ...strip.filter(Boolean),
      '</g>',
    ].join('\n'),
    keyframes: [`@keyframes line${y}{${moves.join('')}}`],
  };
}

/** Returns runs of cells of an emulator's line with the same style. A character that may need another font is a separate run. */
export function findRuns(line) {
  const runs = [];
  for (let x = 0; x < line.length; x += 1) {
    const one = line.getCell(x);
    const width = one.getWidth();
    // The second half of a wide character.
    if (width === 0) continue;
    const text = one.getChars() || ' ';
    const style = styleOf(one);
    const isAlone = text === verticalLine || !/^[ -~\u00a0-\u00ff\u2500-\u259f]$/.test(text);
    const before = runs.at(-1);
    if (before && !isAlone && !before.isAlone && isDeepStrictEqual(style, before.style)) {
      before.text += text;
      before.width += width;
    } else {
      runs.push({ x, width, text, style, isAlone });
    }
  }
  return runs;
}

function styleOf(one) {
  const ink = one.isFgDefault() ? 'ink' : colorOf(one.isFgPalette(), one.getFgColor());
  const paper = one.isBgDefault() ? 'paper' : colorOf(one.isBgPalette(), one.getBgColor());
  const [foreground, background] = one.isInverse() ? [paper, ink] : [ink, paper];
  const names = [
    foreground !== 'ink' && foreground,
    one.isBold() && 'bold',
    one.isDim() && 'dim',
    one.isItalic() && 'italic',
    one.isUnderline() && 'underline',
  ];
  return { names: names.filter(Boolean).join(' '), background };
}

function colorOf(isPalette, value) {
  const name = isPalette ? colorNames[value] : undefined;
  if (!name) throw new Error(`${value} is not one of the 16 colors`);
  return name;
}

/** Positions text after two or more spaces absolutely, so that columns align in every font. */
function drawRow({ runs, cursor }, top) {
  const backgrounds = [];
  const lines = [];
  let text = '';
  let column = 0;
  for (const { x, width, text: whole, style, isAlone } of runs) {
    if (style.background !== 'paper') {
      const before = backgrounds.at(-1);
      // Between rectangles that touch, there would be a gap.
      if (before?.name === style.background && before.x + before.width === x) before.width += width;
      else backgrounds.push({ x, width, name: style.background });
    }
    if (whole === verticalLine) {
      lines.push(rectangle(x + 0.45, top, 0.1, style.names));
      continue;
    }
    for (const { 0: words, index } of whole.matchAll(/\S+(?: \S+)*/g)) {
      const length = round((isAlone ? width : words.length) * cell.width);
      const names = style.names && ` class="${style.names}"`;
      text += ' '.repeat(Math.max(0, x + index - column));
      text += `<tspan x="${left(x + index)}" textLength="${length}"${names}>${escapeXml(words)}</tspan>`;
      column = x + index + (isAlone ? width : words.length);
    }
  }
  if (text !== '') text = `<text y="${top + cell.baseline}">${text}</text>`;
  const rectangles = backgrounds.map(({ x, width, name }) => rectangle(x, top, width, name));
  const cursors = cursor === undefined ? [] : [rectangle(cursor, top, 1, 'dim')];
  return [...rectangles, ...lines, text, ...cursors].filter(Boolean).join('\n');
}

/** Drawn as a rectangle, since its glyph may be lower than a line. */
const verticalLine = '│';

function rectangle(x, top, width, names) {
  return `<rect x="${left(x)}" y="${top}" width="${round(width * cell.width)}" height="${cell.height}" class="${names}"/>`;
}

function left(column) {
  return round(padding + column * cell.width);
}

function round(length) {
  return Number(length.toFixed(1));
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
