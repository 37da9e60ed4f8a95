/** Functions that color text; the identity if color is off. */
export interface Style {
  readonly heading: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly status: (text: string) => string;
  readonly error: (text: string) => string;
}

export interface ColorChoice {
  readonly mode: 'auto' | 'always' | 'never';
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns the style of a stream. chalk is loaded only if color is on. */
export async function createStyle(choice: ColorChoice): Promise<Style> {
  if (!wantsColor(choice)) return plain;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  const statuses = new Map([
    ['available', chalk.green],
    ['pending', chalk.yellow],
    ['sold', chalk.gray],
  ]);
  return {
    heading: chalk.bold,
    dim: chalk.dim,
    status: (text) => statuses.get(text)?.(text) ?? text,
    error: chalk.bold.red,
  };
}

/**
 * Returns whether to use color. Precedence: flags and settings, `NO_COLOR` (no-color.org), `FORCE_COLOR` and
 * `CLICOLOR_FORCE`, the terminal.
 */
export function wantsColor({ mode, isTerminal, env }: ColorChoice): boolean {
  if (mode !== 'auto') return mode === 'always';
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.CLICOLOR_FORCE !== undefined && env.CLICOLOR_FORCE !== '0') return true;
  return isTerminal && env.TERM !== 'dumb';
}

const identity = (text: string) => text;
const plain: Style = { heading: identity, dim: identity, status: identity, error: identity };
