import { versionSegment } from '../api/operations.js';
import { findProxy } from '../client/find-proxy.js';
import { sandboxOrigin, sandboxProfileName } from '../config/profile.js';
import { getSetting } from '../config/settings.js';
import type { Target, TargetOptions } from '../config/target.js';
import type { Hint, HintParts } from '../failure.js';
import type { AppContext } from './context.js';

/** Opens the transport to a target. */
export function openTransport(target: Target, context: AppContext) {
  return target.kind === 'sandbox' ? openSandbox(context) : openNetwork(target, context);
}

async function openNetwork(
  { label, baseUrl, key, keySource }: Extract<Target, { kind: 'remote' }>,
  { runtime, terminal }: AppContext,
) {
  if (baseUrl.warning !== undefined) terminal.warn(baseUrl.warning);
  const { origin, path } = baseUrl;
  const proxy = findProxy(baseUrl, runtime.env);
  const { compileParserEagerly, connectDirectly, createSender } = await import('../client/send.js');
  const wrapConnector = await compileParserEagerly(runtime.nodeVersion);
  const connectThrough = proxy && (await import('../client/proxy-connection.js')).connectThrough;
  const connect: typeof connectDirectly = (origin, options) =>
    proxy && connectThrough
      ? connectThrough(proxy, options, wrapConnector)
      : connectDirectly(origin, options, wrapConnector);
  const { send, close } = createSender(connect);
  return { label, origin, path, key, keySource, limitHint: undefined, dataId: () => undefined, send, close };
}

async function openSandbox(context: AppContext) {
  const { openEmbeddedServer } = await import('./sandbox.js');
  const { key, send, isNew, dataId, close } = await openEmbeddedServer(context);
  if (isNew) {
    context.terminal.notice('You are using the sandbox: sample pets on this machine.');
    context.terminal.notice(describeOtherServices(context));
  }
  return {
    label: sandboxProfileName,
    origin: sandboxOrigin,
    path: versionSegment,
    key,
    keySource: 'the sandbox',
    limitHint: ['run ', { words: ['sandbox', 'plan', 'enterprise'] }, ' to raise the limits'] satisfies HintParts,
    dataId,
    send,
    close,
  };
}

/** Returns how to leave the sandbox: to a profile that has an API key, else by a login. */
function describeOtherServices({ settings, config: { profiles, credentials } }: AppContext): Hint {
  const other = profiles.list().find(({ name }) => name !== sandboxProfileName && credentials.getInfo(name));
  if (!other) {
    const words = ['auth', 'login', '--profile', 'production', '--base-url', { placeholder: '<url>' }];
    return ['To use a real service, run ', { words }, '.'];
  }
  // A flag or a variable takes precedence over the saved profile.
  const isChosen = ['flag', 'environment'].includes(getSetting(settings, 'profile').origin);
  if (isChosen) return `To use ${other.name} instead, pass --profile ${other.name}.`;
  return [`To use ${other.name} instead, run `, { words: ['profile', 'use', other.name] }, '.'];
}

/** Returns what determines the target of requests. */
export function targetOptions({ settings, config, runtime }: AppContext): TargetOptions {
  return {
    settings,
    profile: config.profiles.get(settings.profile),
    credentials: config.credentials,
    env: runtime.env,
    userId: runtime.userId,
  };
}
