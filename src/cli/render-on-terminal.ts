import type { Settings } from '../config/settings.js';
import { highlightJson, type JsonStyles } from '../format/highlight-json.js';
import type { JqRunner } from '../format/jq-runner.js';
import type { OutputFormat } from '../format/output-format.js';
import type { Output } from '../terminal/output.js';
import type { Terminal } from '../terminal/terminal.js';
import type { CommandResult } from './command-result.js';
import { renderResult } from './render.js';
import { renderJq } from './render-jq.js';
import type { RenderSettings, RenderTerminal } from './render-lines.js';

/** Prints a result on a terminal: like `renderResult`, but JSON is highlighted, and long output is paged if wanted. */
export async function renderOnTerminal(
  result: CommandResult,
  settings: RenderSettings & Pick<Settings, 'usesPager'>,
  terminal: Terminal,
  jq?: JqRunner,
): Promise<void> {
  const { stdout, stderr, clock, createStyle, showManualPage } = terminal;
  const shown = { stdout, stderr, clock, createStyle, showManualPage };
  if (!settings.usesPager || settings.accessible || !isComplete(result, settings)) {
    return renderInColor(result, settings, shown, jq);
  }
  const { text, output } = collectText(stdout);
  const { onRendered, ...paged } = { onRendered: undefined, ...result };
  try {
    await renderInColor(paged, settings, { ...shown, stdout: output }, jq);
  } finally {
    await terminal.showInPager({ text: text(), pager: settings.pager });
  }
  // Notices follow what they are about.
  await onRendered?.();
}

async function renderInColor(
  result: CommandResult,
  settings: RenderSettings,
  terminal: RenderTerminal,
  jq: JqRunner | undefined,
): Promise<void> {
  const { stdout, createStyle } = terminal;
  const { heading, success, warning } = await createStyle('stdout', settings.color);
  const styles: JsonStyles = { key: heading, text: success, literal: warning };
  const highlight = (json: string) => [...highlightJson(json, styles)].join('');
  if (jq) return renderJq(result, settings, terminal, jq, highlight);
  if (result.kind === 'text' && result.json !== undefined) return stdout.write(result.text + highlight(result.json));
  const isHighlighted = formatOf(result, settings).endsWith('json');
  return renderResult(
    result,
    settings,
    isHighlighted ? { ...terminal, stdout: createHighlightedOutput(stdout, styles) } : terminal,
  );
}

/** Returns whether a result is printed at once, rather than as it arrives. */
function isComplete(result: CommandResult, settings: RenderSettings): boolean {
  if (result.kind === 'lines' || result.kind === 'page' || (result.kind === 'records' && result.streamed)) return false;
  return ['table', 'json', 'yaml', ''].includes(formatOf(result, settings));
}

/** Returns the output format of a result; empty for text. */
function formatOf(result: CommandResult, { output }: RenderSettings): OutputFormat | '' {
  if (result.kind === 'records') return result.streamed?.format ?? output;
  return result.kind === 'record' || result.kind === 'lines' ? output : '';
}

/** Returns an output that collects text. */
function collectText({ columns }: Output) {
  let collected = '';
  const write: Output['write'] = async (content) => {
    collected += content;
  };
  return { text: () => collected, output: { isTerminal: true, columns, isClosed: false, write } };
}

/** Returns an output that highlights the JSON written to it. */
function createHighlightedOutput(out: Output, styles: JsonStyles): Output {
  return {
    isTerminal: out.isTerminal,
    get columns() {
      return out.columns;
    },
    get isClosed() {
      return out.isClosed;
    },
    write: async (content) => {
      for (const piece of highlightJson(String(content), styles)) await out.write(piece);
    },
  };
}
