import { Failure, usageError } from '../failure.js';
import type { JqRunner } from '../format/jq-runner.js';
import { formatJson } from '../format/json.js';
import { toSafeText } from '../format/safe-text.js';
import type { Terminal } from '../terminal/terminal.js';
import { checkFields } from './check-fields.js';
import type { CommandResult } from './command-result.js';
import { documentOf, type Shape } from './render-lines.js';

/** Prints what a jq program makes of a view's JSON: `--fields` chooses first. */
export async function renderFiltered(
  view: CommandResult,
  settings: Shape,
  terminal: Terminal,
  jq: JqRunner,
): Promise<void> {
  if (view.kind === 'nothing') return;
  if (view.kind === 'bytes') {
    if (view.bytes.length === 0) return;
    throw view.failure ?? noJson('the body is not JSON, which --jq is for');
  }
  if (view.kind === 'text' || view.kind === 'page' || view.kind === 'lines') {
    throw usageError('invalid_flag', 'this command prints no JSON, which --jq is for');
  }
  if (view.columns && !('open' in view)) checkFields(settings.fields, view.columns);
  const document = formatJson(await documentOf(view, settings.fields));
  const { text, debugOutput: said } = await runOn(document, view, terminal, jq);
  if (said !== '' && !settings.quiet)
    await terminal.stderr.write(toSafeText(said, { multiline: true }));
  await terminal.stdout.write(text);
  await view.afterwards?.();
}

async function runOn(
  document: string,
  { failure }: CommandResult,
  { stdout }: Terminal,
  jq: JqRunner,
) {
  try {
    return await jq.run(document, { forTerminal: stdout.isTerminal });
  } catch (error) {
    // A program for pets is not made for what a failure says; that failure is why.
    throw failure ?? error;
  } finally {
    await jq.close();
  }
}

function noJson(message: string): Failure {
  return new Failure('system', { code: 'jq_failed', message });
}
