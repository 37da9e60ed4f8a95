import { Failure, usageError } from '../failure.js';
import type { JqOutputOptions, JqRunner } from '../format/jq-runner.js';
import { formatJson } from '../format/json.js';
import { type CommandResult, checkFields, toDocument } from './command-result.js';
import type { RenderSettings, RenderTerminal } from './render-lines.js';

/** Runs a jq program on the JSON of a result, after `--fields`, and prints its output. */
export async function renderJq(
  result: CommandResult,
  settings: RenderSettings,
  terminal: RenderTerminal,
  jq: JqRunner,
  highlight?: (json: string) => string,
): Promise<void> {
  if (result.kind === 'nothing') return;
  if (result.kind === 'bytes') {
    if (result.bytes.length === 0) return;
    throw result.failure ?? notJson('cannot apply --jq, because the response body is not JSON');
  }
  if (result.kind === 'text' || result.kind === 'page' || result.kind === 'lines') {
    throw usageError('invalid_flag', 'cannot apply --jq, because this command prints no JSON');
  }
  if (result.columns && !('allowsAnyField' in result)) checkFields(settings.fields, result.columns);
  const document = formatJson(await toDocument(result, settings.fields));
  const text = await runJq(document, result, jq, { forTerminal: terminal.stdout.isTerminal, highlight });
  await terminal.stdout.write(text);
  await result.onRendered?.();
}

async function runJq(document: string, result: CommandResult, jq: JqRunner, options: JqOutputOptions) {
  try {
    return await jq.run(document, options);
  } catch (error) {
    const { failure } = result;
    // The failure of `api` explains why the document is not what the program expects.
    if (!failure || 'allowsAnyField' in result) throw failure ?? error;
    throw new Failure(failure.kind, {
      ...failure.details,
      message: `${failure.details.message}; ${(error as Error).message}`,
    });
  } finally {
    await jq.close();
  }
}

function notJson(message: string): Failure {
  return new Failure('system', { code: 'jq_failed', message });
}
