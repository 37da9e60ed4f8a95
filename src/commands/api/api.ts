import { getHeader } from '../../api/http.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import type { Client, RawRequest, RawResult } from '../../client/client.js';
import { firstPageNotice } from '../../client/transport-error.js';
import { getSettingOrigin } from '../../config/settings.js';
import { Failure, usageError } from '../../failure.js';
import { formatJson, isRecord, tryParseJson } from '../../format/json.js';
import { toSafeText } from '../../format/safe-text.js';
import { inOneBatch, recordsIn } from '../records.js';
import { type ApiOptions, buildRequest } from './request.js';

/** Sends what was asked for and shows the body, on 4xx and 5xx too; the failure still ends the command. */
export async function api(
  context: AppContext,
  path: string,
  options: ApiOptions,
): Promise<CommandResult> {
  if (options.include && context.flags.jq !== undefined) {
    throw usageError('invalid_flag', '-i prints what is no JSON, which --jq is for');
  }
  const client = await context.client();
  const request = await buildRequest(context, client, path, options);
  if (options.paginate && request.method !== 'GET') {
    throw usageError('invalid_flag', '--paginate goes with GET alone');
  }
  if (options.paginate && context.settings.curl) {
    context.terminal.notice(firstPageNotice);
  }
  const first = await client.sendRaw(request);
  if (!options.paginate || first.failure) {
    return {
      ...show(context, first.response, options),
      ...(first.failure && { failure: first.failure }),
    };
  }
  return showPages(context, await followPages(client, request, first));
}

function show(
  { settings }: AppContext,
  { status, headers, body }: RawResult['response'],
  { include }: ApiOptions,
): CommandResult {
  const head = include ? headOf(status, headers) : '';
  const document = tryParseJson(body);
  if (document === undefined) {
    const text = toSafeText(new TextDecoder().decode(body), { multiline: true });
    const headBytes = new TextEncoder().encode(head);
    return { kind: 'bytes', bytes: Buffer.concat([headBytes, body]), text: `${head}${text}` };
  }
  // Without a format of one's own choice the body is shown as the JSON that it is.
  const asIs = include || getSettingOrigin(settings, 'output') === 'default';
  if (asIs && !settings.fields) {
    return { kind: 'text', text: `${head}${formatJson(document.value, 2)}\n` };
  }
  if (isRecord(document.value)) {
    const columns = Object.keys(document.value).map((key) => ({ key }));
    return { kind: 'record', columns, allowsAnyField: true, record: document.value };
  }
  return records(document.value);
}

function showPages(
  { settings }: AppContext,
  { items, failure }: { readonly items: readonly unknown[]; readonly failure?: Failure },
): CommandResult {
  const asIs = getSettingOrigin(settings, 'output') === 'default' && !settings.fields;
  const view: CommandResult = asIs
    ? { kind: 'text', text: `${formatJson(items, 2)}\n` }
    : records(items);
  return { ...view, ...(failure && { failure }) };
}

function records(value: unknown): CommandResult {
  return {
    kind: 'records',
    document: value,
    batches: inOneBatch(recordsIn(value)),
    emptyMessage: 'The body is empty.',
  };
}

/** The items of all pages as one list; what ends it early is kept beside what was read. */
async function followPages(
  client: Client,
  request: RawRequest,
  first: RawResult,
): Promise<{ items: readonly unknown[]; failure?: Failure }> {
  const items: unknown[] = [];
  try {
    for await (const { response, failure } of client.paginateRaw(request, first)) {
      if (failure) throw failure;
      const page = tryParseJson(response.body)?.value;
      if (!Array.isArray(page)) throw noList();
      for (const item of page) items.push(item);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { items, failure: error };
  }
  return { items };
}

function noList(): Failure {
  return new Failure('service', { code: 'bad_page', message: 'a page is not a list' });
}

function headOf(status: number, headers: RawResult['response']['headers']): string {
  const lines = Object.keys(headers).map((name) =>
    toSafeText(`${name}: ${getHeader(headers, name)}`),
  );
  return `${[`HTTP/1.1 ${status}`, ...lines].join('\n')}\n\n`;
}
