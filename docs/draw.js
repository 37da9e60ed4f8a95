// Draws terminal screens as an SVG with a background and without scripts or fonts: a still picture or an animation.
import { isDeepStrictEqual } from 'node:util';

const cell = { width: 8.4, height: 20, baseline: 14.5 };
const padding = 24;
const titleBar = 44;

/** CSS by class name. The first two are the default foreground and background of the terminal. */
const styles = {
  ink: 'fill:#d5dae1',
  paper: 'fill:#171b22',
  black: 'fill:#484f58',
  red: 'fill:#ff8078',
  green: 'fill:#6cc977',
  yellow: 'fill:#dcb350',
  blue: 'fill:#6cb0ff',
  magenta: 'fill:#c9a2f5',
  cyan: 'fill:#5cc8d2',
  white: 'fill:#d5dae1',
  brightblack: 'fill:#8a929c',
  brightred: 'fill:#ffa198',
  brightgreen: 'fill:#8ddb8c',
  brightyellow: 'fill:#f0ca74',
  brightblue: 'fill:#96c6ff',
  brightmagenta: 'fill:#dcbdfb',
  brightcyan: 'fill:#82dde4',
  brightwhite: 'fill:#fff',
  bold: 'font-weight:bold',
  dim: 'fill-opacity:.65',
  italic: 'font-style:italic',
  underline: 'text-decoration:underline',
};
const colors = Object.keys(styles).slice(2, 18);

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
  const used = new Set(['paper', ...body.match(/(?<=class="[^"]*)\w+/g)]);
  const rules = Object.entries(styles).filter(([name]) => used.has(name));
  const css = [...rules.map(([name, rule]) => `.${name}{${rule}}`), ...drawn.flatMap(({ keyframes }) => keyframes)];
  if (frames.length > 1) {
    css.push(`@media (prefers-reduced-motion:no-preference){g{animation:${duration}ms step-end infinite}}`);
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(title)}</title>
<style>
text{${styles.ink};font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;font-variant-emoji:text;white-space:pre}
${css.join('\n')}
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" class="paper" stroke="#3a414b"/>
<g fill="#3a414b"><circle cx="29" cy="22" r="5"/><circle cx="46" cy="22" r="5"/><circle cx="63" cy="22" r="5"/></g>
${body}
</svg>
`;
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
    const isAlone = !/^[ -~\u00a0-\u00ff\u2500-\u259f]$/.test(text);
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
  const name = isPalette ? colors[value] : undefined;
  if (!name) throw new Error(`${value} is not one of the 16 colors`);
  return name;
}

/** Positions text after two or more spaces absolutely, so that columns align in every font. */
function drawRow({ runs, cursor }, top) {
  const rectangles = [];
  let text = '';
  let column = 0;
  for (const { x, width, text: whole, style, isAlone } of runs) {
    if (style.background !== 'paper') rectangles.push(rectangle(x, top, width, style.background));
    for (const { 0: words, index } of whole.matchAll(/\S+(?: \S+)*/g)) {
      const length = round((isAlone ? width : words.length) * cell.width);
      const names = style.names && ` class="${style.names}"`;
      text += ' '.repeat(Math.max(0, x + index - column));
      text += `<tspan x="${left(x + index)}" textLength="${length}"${names}>${escapeXml(words)}</tspan>`;
      column = x + index + (isAlone ? width : words.length);
    }
  }
  if (text !== '') text = `<text y="${top + cell.baseline}" xml:space="preserve">${text}</text>`;
  const cursors = cursor === undefined ? [] : [rectangle(cursor, top, 1, 'ink dim')];
  return [...rectangles, text, ...cursors].filter(Boolean).join('\n');
}

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
