// Draws a terminal screen as an SVG with a background and without scripts or fonts.
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

/** Returns an SVG of the screen down to its last line with text. */
export function draw(title, { columns, lines, cursor }) {
  const last = lines.findLastIndex((line) => line.translateToString(true) !== '');
  const shown = lines.slice(0, Math.max(last, cursor?.y ?? 0) + 1);
  const body = shown.flatMap((line, y) => drawLine(findRuns(line), y));
  if (cursor) body.push(rectangle(cursor.x, cursor.y, 1, 'ink dim'));
  const used = new Set(['paper', ...body.join('').match(/(?<=class="[^"]*)\w+/g)]);
  const rules = Object.entries(styles).filter(([name]) => used.has(name));
  const width = Math.ceil(columns * cell.width + 2 * padding);
  const height = titleBar + shown.length * cell.height + padding;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(title)}</title>
<style>
text{${styles.ink};font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;font-variant-emoji:text;white-space:pre}
${rules.map(([name, css]) => `.${name}{${css}}`).join('\n')}
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" class="paper" stroke="#3a414b"/>
<g fill="#3a414b"><circle cx="29" cy="22" r="5"/><circle cx="46" cy="22" r="5"/><circle cx="63" cy="22" r="5"/></g>
${body.join('\n')}
</svg>
`;
}

/** Returns runs of cells with the same style. A character that may need another font is a separate run. */
function findRuns(line) {
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
function drawLine(runs, y) {
  const backgrounds = [];
  let text = '';
  let column = 0;
  for (const { x, width, text: whole, style, isAlone } of runs) {
    if (style.background !== 'paper') backgrounds.push(rectangle(x, y, width, style.background));
    for (const { 0: found, index } of whole.matchAll(/\S+(?: \S+)*/g)) {
      const words = fixTimes(found);
      const length = round((isAlone ? width : words.length) * cell.width);
      const names = style.names && ` class="${style.names}"`;
      text += ' '.repeat(Math.max(0, x + index - column));
      text += `<tspan x="${left(x + index)}" textLength="${length}"${names}>${escapeXml(words)}</tspan>`;
      column = x + index + (isAlone ? width : words.length);
    }
  }
  if (text === '') return backgrounds;
  return [...backgrounds, `<text y="${top(y) + cell.baseline}" xml:space="preserve">${text}</text>`];
}

/** Replaces times that depend on the speed of the machine. */
function fixTimes(text) {
  return text.replace(/resets in (?:1m 1s|1m|5\ds)/, 'resets in 59s').replace(/(seen|read) \ds ago/, '$1 1s ago');
}

function rectangle(x, y, width, names) {
  return `<rect x="${left(x)}" y="${top(y)}" width="${round(width * cell.width)}" height="${cell.height}" class="${names}"/>`;
}

function left(column) {
  return round(padding + column * cell.width);
}

function top(row) {
  return titleBar + row * cell.height;
}

function round(length) {
  return Number(length.toFixed(1));
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
