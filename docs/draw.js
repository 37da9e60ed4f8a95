// Draws the screen of a terminal as an SVG that brings its own background and neither scripts nor fonts.
import { isDeepStrictEqual } from 'node:util';

const cell = { width: 8.4, height: 20, baseline: 14.5 };
const padding = 24;
const titleBar = 44;

/** What a name means as a class; the first two are the foreground and the background of the terminal. */
const looks = {
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
const colors = Object.keys(looks).slice(2, 18);

/** The picture of the screen, down to its last line with anything on it. */
export function draw(title, { columns, lines, cursor }) {
  const last = lines.findLastIndex((line) => line.translateToString(true) !== '');
  const shown = lines.slice(0, Math.max(last, cursor?.y ?? 0) + 1);
  const body = shown.flatMap((line, y) => drawLine(stretchesOf(line), y));
  if (cursor) body.push(rectangle(cursor.x, cursor.y, 1, 'ink dim'));
  const used = new Set(['paper', ...body.join('').match(/(?<=class="[^"]*)\w+/g)]);
  const rules = Object.entries(looks).filter(([name]) => used.has(name));
  const width = Math.ceil(columns * cell.width + 2 * padding);
  const height = titleBar + shown.length * cell.height + padding;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<style>
text{${looks.ink};font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;font-variant-emoji:text;white-space:pre}
${rules.map(([name, look]) => `.${name}{${look}}`).join('\n')}
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" class="paper" stroke="#3a414b"/>
<g fill="#3a414b"><circle cx="29" cy="22" r="5"/><circle cx="46" cy="22" r="5"/><circle cx="63" cy="22" r="5"/></g>
${body.join('\n')}
</svg>
`;
}

/** Neighbouring cells that look alike, as one; a character that may come from another font stands alone. */
function stretchesOf(line) {
  const stretches = [];
  for (let x = 0; x < line.length; x += 1) {
    const one = line.getCell(x);
    const width = one.getWidth();
    // The second half of a wide character.
    if (width === 0) continue;
    const text = one.getChars() || ' ';
    const look = lookOf(one);
    const isAlone = !/^[ -~\u00a0-\u00ff\u2500-\u259f]$/.test(text);
    const before = stretches.at(-1);
    if (before && !isAlone && !before.isAlone && isDeepStrictEqual(look, before.look)) {
      before.text += text;
      before.width += width;
    } else {
      stretches.push({ x, width, text, look, isAlone });
    }
  }
  return stretches;
}

function lookOf(one) {
  const ink = one.isFgDefault() ? 'ink' : colorOf(one.isFgPalette(), one.getFgColor());
  const paper = one.isBgDefault() ? 'paper' : colorOf(one.isBgPalette(), one.getBgColor());
  const [front, back] = one.isInverse() ? [paper, ink] : [ink, paper];
  const names = [
    front !== 'ink' && front,
    one.isBold() && 'bold',
    one.isDim() && 'dim',
    one.isItalic() && 'italic',
    one.isUnderline() && 'underline',
  ];
  return { names: names.filter(Boolean).join(' '), back };
}

function colorOf(isPalette, value) {
  const name = isPalette ? colors[value] : undefined;
  if (!name) throw new Error(`${value} is none of the sixteen colours`);
  return name;
}

/** Words are placed anew after two spaces or more, so that columns stand in a font of any width. */
function drawLine(stretches, y) {
  const marks = [];
  let text = '';
  let column = 0;
  for (const { x, width, text: whole, look, isAlone } of stretches) {
    if (look.back !== 'paper') marks.push(rectangle(x, y, width, look.back));
    for (const { 0: found, index } of whole.matchAll(/\S+(?: \S+)*/g)) {
      const words = steady(found);
      const length = round((isAlone ? width : words.length) * cell.width);
      const names = look.names && ` class="${look.names}"`;
      text += ' '.repeat(Math.max(0, x + index - column));
      text += `<tspan x="${left(x + index)}" textLength="${length}"${names}>${escaped(words)}</tspan>`;
      column = x + index + (isAlone ? width : words.length);
    }
  }
  if (text === '') return marks;
  return [...marks, `<text y="${top(y) + cell.baseline}" xml:space="preserve">${text}</text>`];
}

/**
 * The one thing that is not drawn as it was shown: how many seconds passed depends on the machine, and what has
 * just begun and lasts a minute ends in something between 1m 1s and 55s.
 */
function steady(words) {
  return words
    .replace(/resets in (?:1m 1s|1m|5\ds)/, 'resets in 59s')
    .replace(/(seen|read) \ds ago/, '$1 1s ago');
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

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
