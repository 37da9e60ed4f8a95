import { getHeader, type HttpResponse, idempotencyKeyHeader, isSafeMethod } from '../../api/http.js';
import type { AppContext } from '../../app/context.js';
import { checkWriteAllowed } from '../../app/read-only.js';
import { type CommandResult, toRecords } from '../../cli/command-result.js';
import type { Client, RawResult } from '../../client/client.js';
import { buildRawRequest, type RawRequest } from '../../client/request.js';
import { getSetting } from '../../config/settings.js';
import { type Command, Failure, usageError } from '../../failure.js';
import { formatJson, isRecord, tryParseJson } from '../../format/json.js';
import { toSafeText } from '../../format/safe-text.js';
import { withRepeatHint } from '../repeat-hint.js';
import { type ApiFlags, buildRequest, chooseMethod, isOperationPath, pathHint } from './request.js';

/** Sends a request and prints the body of its response, then fails if the status is 4xx or 5xx. */
export async function api(context: AppContext, path: string, flags: ApiFlags): Promise<void> {
  if (flags.i && context.flags.jq !== undefined) {
    throw usageError('invalid_flag', '-i cannot be used with --jq: headers are not JSON');
  }
  if (!flags.curl && !isSafeMethod(chooseMethod(flags))) checkWriteAllowed(context.settings);
  if (flags.curl) {
    const { formatCurl, openCurlEndpoint } = await import('../curl.js');
    const endpoint = openCurlEndpoint(context);
    const request = buildRawRequest(await buildRequest(context, endpoint, path, flags), endpoint);
    return context.print(formatCurl(context, request, { hasMorePages: flags.paginate }));
  }
  const client = await context.client();
  const request = await buildRequest(context, client, path, flags);
  const first = await sendWithKey(context, client, request);
  const failure = first.failure && withPathHint(first.failure, request, client);
  if (!flags.paginate || failure) {
    return printResponse(context, first.response, flags.i, failure);
  }
  const items: unknown[] = [];
  const pageFailure = await collectItems(client.paginateRaw(request, first), items);
  await context.print(toDocumentResult(context, items), pageFailure);
}

/** Sends a request. If the outcome of a POST is unknown, the hint says how to repeat it with its idempotency key. */
async function sendWithKey({ clock }: AppContext, client: Client, request: RawRequest): Promise<RawResult> {
  // It is unknown when a key of the user was sent first.
  const hasOwnKey = request.headers[idempotencyKeyHeader] !== undefined;
  if (request.method !== 'POST' || hasOwnKey) return client.sendRaw(request);
  const key = client.idempotency.createKey();
  const sentKey = { key, startedAt: clock.now() };
  const headers = { ...request.headers, [idempotencyKeyHeader]: key };
  const addition: Command = { words: ['-H', `Idempotency-Key: ${key}`], isAddition: true, isNext: true };
  const withHint = <Thrown>(error: Thrown) =>
    withRepeatHint(error, client, sentKey, clock.now(), (timeLeft) => [
      'run the same command with ',
      addition,
      ` to repeat the request without doing it twice, within ${timeLeft}`,
    ]);
  try {
    const { response, failure } = await client.sendRaw({ ...request, headers });
    return { response, ...(failure && { failure: await withHint(failure) }) };
  } catch (error) {
    throw await withHint(error);
  }
}

/** Explains a 404 for a path that the API spec does not have: the path is probably wrong, not the base URL. */
function withPathHint(failure: Failure, { target }: RawRequest, { basePath }: Client): Failure {
  if (failure.details.status !== 404 || isOperationPath(target, basePath)) return failure;
  return new Failure(failure.kind, { ...failure.details, hint: pathHint });
}

/** Adds the items of all pages. Returns the failure of the page that could not be read. */
async function collectItems(pages: AsyncIterable<RawResult>, items: unknown[]): Promise<Failure | undefined> {
  try {
    for await (const { response, failure } of pages) {
      if (failure) return failure;
      const page = tryParseJson(response.body)?.value;
      if (!Array.isArray(page)) {
        return new Failure('service', {
          code: 'invalid_response',
          message: 'the response for a page is not a JSON array',
          hint: 'omit --paginate to print only the first response',
        });
      }
      for (const item of page) items.push(item);
    }
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

async function printResponse(
  context: AppContext,
  response: HttpResponse,
  hasHead: boolean | undefined,
  failure: Failure | undefined,
): Promise<void> {
  const { body } = response;
  const head = hasHead ? formatHead(response) : '';
  const document = tryParseJson(body);
  if (document) return context.print(toDocumentResult(context, document.value, head), failure);
  if (context.flags.jq !== undefined) {
    const error = failure ?? (body.length > 0 ? notJson : undefined);
    if (error) throw error;
    return;
  }
  const text = () => toSafeText(new TextDecoder().decode(body), { multiline: true });
  const { isTerminal } = context.runtime.terminal.stdout;
  await context.print(
    { kind: 'text', text: isTerminal ? head + text() : Buffer.concat([Buffer.from(head), body]) },
    failure,
  );
}

const notJson = new Failure('system', {
  code: 'jq_failed',
  message: 'cannot apply --jq, because the response body is not JSON',
});

/** Returns a JSON value as text, unless the user chose an output format or fields. */
function toDocumentResult({ settings }: AppContext, value: unknown, head = ''): CommandResult {
  const isText = head !== '' || getSetting(settings, 'output').origin === 'default';
  if (isText && !settings.fields) {
    return { kind: 'text', text: head, json: `${formatJson(value, 2)}\n` };
  }
  if (isRecord(value)) {
    const columns = Object.keys(value).map((key) => ({ key }));
    return { kind: 'record', columns, record: value };
  }
  return {
    kind: 'records',
    document: value,
    records: toRecords(value),
    emptyMessage: 'The response has no records.',
  };
}

function formatHead({ status, headers }: HttpResponse): string {
  const lines = Object.keys(headers).map((name) => toSafeText(`${name}: ${getHeader(headers, name)}`));
  return `${[`HTTP/1.1 ${status}`, ...lines].join('\n')}\n\n`;
}
