/** Names of colors, as in `docs/draw.js`. */
const names = ['background', 'ink', 'green', 'brightred', 'brightmagenta'];

/** Default colors of terminals and editors, as far as petstore uses them, in the order of `names`. */
const schemes: Readonly<Record<string, readonly string[]>> = {
  'xterm on black': ['#000000', '#e5e5e5', '#00cd00', '#ff0000', '#ff00ff'],
  'xterm on white': ['#ffffff', '#000000', '#00cd00', '#ff0000', '#ff00ff'],
  'Solarized dark': ['#002b36', '#839496', '#859900', '#cb4b16', '#6c71c4'],
  'Solarized light': ['#fdf6e3', '#657b83', '#859900', '#cb4b16', '#6c71c4'],
  'Visual Studio Code dark': ['#1e1e1e', '#cccccc', '#0dbc79', '#f14c4c', '#d670d6'],
  'Visual Studio Code light': ['#ffffff', '#333333', '#107c10', '#cd3131', '#bc05bc'],
  'Windows Terminal': ['#0c0c0c', '#cccccc', '#13a10e', '#e74856', '#b4009e'],
  'macOS Terminal dark': ['#1d1e1d', '#ffffff', '#6ac44b', '#eb5a3a', '#eb5af7'],
  'macOS Terminal light': ['#ffffff', '#000000', '#00a600', '#e50000', '#e500e5'],
  'GNOME dark': ['#1e1e1e', '#ffffff', '#26a269', '#f66151', '#c061cb'],
  'GNOME light': ['#ffffff', '#1e1e1e', '#26a269', '#f66151', '#c061cb'],
};

/** WCAG 2.2 asks for 3 in large text and symbols. */
const minContrast = 3;

/** These schemes have no darker green. A mark or a word always says the same as the green. */
const greenContrasts: Readonly<Record<string, number>> = { 'xterm on white': 2.1, 'Solarized light': 2.9 };

/** Returns the schemes in which a color is hard to read, with its contrast. Unknown colors are hard to read everywhere. */
export function findLowContrasts(color: string): readonly string[] {
  return Object.entries(schemes).flatMap(([scheme, colors]) => {
    const [background = ''] = colors;
    const ratio = calculateContrast(colors[names.indexOf(color)] ?? background, background);
    const min = (color === 'green' && greenContrasts[scheme]) || minContrast;
    return ratio >= min ? [] : [`${color} in ${scheme}: ${ratio.toFixed(1)}`];
  });
}

/** Returns the contrast of two colors, such as `#ffffff`, from 1 to 21 (WCAG 2.2). */
export function calculateContrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
