import type { JqRunner } from '../format/jq-runner.js';
import { highlightJson, type JsonStyles } from '../format/json.js';
import type { OutputFormat } from '../format/output-format.js';
import type { Output } from '../terminal/output.js';
import type { CommandResult } from './command-result.js';
import { renderResult } from './render.js';
import { renderJq } from './render-jq.js';
import type { RenderSettings, RenderTerminal } from './render-lines.js';

/** Prints a result on a terminal: like `renderResult`, but JSON is highlighted. */
export async function renderOnTerminal(
  result: CommandResult,
  settings: RenderSettings,
  terminal: RenderTerminal,
  jq?: JqRunner,
): Promise<void> {
  const { stdout, createStyle } = terminal;
  const { heading, success, warning } = await createStyle('stdout', settings.color);
  const styles: JsonStyles = { key: heading, text: success, literal: warning };
  const highlight = (json: string) => highlightJson(json, styles);
  if (jq) return renderJq(result, settings, terminal, jq, highlight);
  if (result.kind === 'text' && result.json !== undefined) return stdout.write(result.text + highlight(result.json));
  const isHighlighted = formatOf(result, settings).endsWith('json');
  return renderResult(
    result,
    settings,
    isHighlighted ? { ...terminal, stdout: createHighlightedOutput(stdout, styles) } : terminal,
  );
}

/** Returns the output format of a result; empty for text. */
function formatOf(result: CommandResult, { output }: RenderSettings): OutputFormat | '' {
  if (result.kind === 'records') return result.streamed?.format ?? output;
  return result.kind === 'record' || result.kind === 'lines' ? output : '';
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
    write: (content) => out.write(highlightJson(String(content), styles)),
  };
}
