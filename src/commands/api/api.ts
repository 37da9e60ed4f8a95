import { headerOf } from '../../contract/exchange.js';
import type { RawReply, RawRequest } from '../../ports/client.js';
import type { Context } from '../../ports/context.js';
import { usage } from '../../ports/failure.js';
import { sourceOf } from '../../ports/settings.js';
import type { Shown } from '../../ports/view.js';
import { formatJson, isRecord, JsonError, parseJson } from '../../text/json.js';
import { safe } from '../../text/safe.js';
import { recordsIn } from '../records.js';
import { type ApiOptions, buildRequest } from './request.js';

/** Sends what was asked for and shows the body, on 4xx and 5xx too; the failure still ends the command. */
export async function api(context: Context, path: string, options: ApiOptions): Promise<Shown> {
  const client = await context.client();
  const request = await buildRequest(context, client, path, options);
  if (options.paginate && request.method !== 'GET') {
    throw usage('invalid_flag', '--paginate goes with GET alone');
  }
  const replies = [await client.raw(request)];
  const seen = new Set([request.target]);
  while (options.paginate && replies.at(-1)?.next !== undefined) {
    const target = replies.at(-1)?.next as string;
    if (seen.has(target)) throw usage('bad_next_link', 'the pages lead in a circle');
    seen.add(target);
    replies.push(await client.raw({ ...request, target }));
  }
  const failure = replies.find((reply) => reply.failure)?.failure;
  return { ...show(context, replies, options, request), ...(failure && { failure }) };
}

function show(
  { settings }: Context,
  replies: readonly RawReply[],
  { include }: ApiOptions,
  { method }: RawRequest,
): Shown {
  const { response } = replies.at(-1) as RawReply;
  const head = include ? headOf(response.status, response.headers) : '';
  const body = method === 'HEAD' ? { text: '' } : bodyOf(replies);
  if ('text' in body) return { kind: 'text', text: `${head}${body.text}` };
  // Without a format of one's own choice the body is shown as the JSON that it is.
  const asIs = include || settings.output === 'json' || sourceOf(settings, 'output') === 'default';
  if (asIs && !settings.fields) {
    return { kind: 'text', text: `${head}${formatJson(body.json, 2)}\n` };
  }
  if (isRecord(body.json)) {
    const columns = Object.keys(body.json).map((key) => ({ key }));
    return { kind: 'record', columns, record: body.json };
  }
  return {
    kind: 'records',
    batches: (async function* () {
      yield recordsIn(body.json);
    })(),
    empty: 'The body is empty.',
  };
}

/** The body as JSON, the lists of several pages as one, or as text where it is something else. */
function bodyOf(replies: readonly RawReply[]): { json: unknown } | { text: string } {
  const bodies = replies.map(({ response }) => response.body);
  const [first] = bodies;
  if (!first || first.length === 0) return { text: '' };
  try {
    const documents = bodies.map(parseJson);
    if (documents.length > 1 && documents.every(Array.isArray)) return { json: documents.flat() };
    return { json: documents.length > 1 ? documents : documents[0] };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return {
      text: bodies
        .map((body) => safe(new TextDecoder().decode(body), { multiline: true }))
        .join('\n'),
    };
  }
}

function headOf(status: number, headers: RawReply['response']['headers']): string {
  const lines = Object.keys(headers).map((name) => safe(`${name}: ${headerOf(headers, name)}`));
  return `${[`HTTP/1.1 ${status}`, ...lines].join('\n')}\n\n`;
}
