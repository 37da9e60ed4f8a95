import type { Transport } from '../api/http.js';
import { versionSegment } from '../api/operations.js';
import { proxyFor } from '../client/proxy-env.js';
import { sandboxOrigin, sandboxProfileName } from '../config/profile.js';
import type { Secret } from '../config/secret.js';
import type { Target } from '../config/target.js';
import type { AppContext } from './context.js';

/** Where exchanges go: a network or the embedded store, the same for all that stands before it. */
export interface OpenTransport {
  readonly label: string;
  readonly origin: string;
  readonly path: string;
  readonly key: Secret;
  readonly keySource: string;
  readonly limitHint?: string;
  readonly send: Transport;
  close(): Promise<void>;
}

/** Opens what carries exchanges to the target; `many` tells that several go at once. */
export function openTransport(
  target: Target,
  context: AppContext,
  many: boolean,
): Promise<OpenTransport> {
  return target.kind === 'sandbox' ? openSandbox(context) : openNetwork(target, context, many);
}

async function openNetwork(
  { label, baseUrl, key, keySource }: Extract<Target, { kind: 'remote' }>,
  { runtime, terminal }: AppContext,
  many: boolean,
): Promise<OpenTransport> {
  for (const text of baseUrl.warnings) terminal.warn(text);
  const { origin, path } = baseUrl;
  const proxy = proxyFor(baseUrl, runtime.env);
  const { connectDirectly, createBulkSender, createSender } = await import('../client/send.js');
  const { makingParserOnce } = await import('../client/undici-parser.js');
  const around = await makingParserOnce(runtime.nodeVersion);
  const connectThrough = proxy && (await import('../client/proxy-connection.js')).connectThrough;
  const connect: typeof connectDirectly = (origin, options) =>
    proxy && connectThrough
      ? connectThrough(proxy, options, around)
      : connectDirectly(origin, options, around);
  const { send, close } = many ? createBulkSender(connect) : createSender(connect);
  return { label, origin, path, key, keySource, send, close };
}

async function openSandbox(context: AppContext): Promise<OpenTransport> {
  const { embed } = await import('./embed.js');
  const { key, send, isNew, close } = await embed(context);
  if (isNew) {
    context.terminal.notice('These are sample animals on this machine (profile sandbox).');
    context.terminal.notice(
      'petstore auth login --profile production --base-url https://… leads to a real store.',
    );
  }
  return {
    label: sandboxProfileName,
    origin: sandboxOrigin,
    path: versionSegment,
    key,
    keySource: 'the sandbox',
    limitHint: 'petstore sandbox plan enterprise allows more',
    send,
    close,
  };
}
