import { checkFields } from './cli/fields.js';
import type { Session } from './cli/run.js';
import type { Connection } from './connect.js';
import { parseBaseUrl } from './local/base-url.js';
import { openConfig } from './local/config.js';
import { openCredentials } from './local/credentials.js';
import { openDocument } from './local/document.js';
import { readInput } from './local/input.js';
import { parseKey } from './local/key.js';
import { pathsOf } from './local/paths.js';
import { openProfiles } from './local/profiles.js';
import { attempt, decideSettings, findUnknownVariables } from './local/settings.js';
import { decideTarget, type Target } from './local/target.js';
import type { Context } from './ports/context.js';
import type { Failure } from './ports/failure.js';
import type { GlobalFlags } from './ports/settings.js';
import { safe } from './text/safe.js';
import type { World } from './world.js';

/** Opens the world for one command: settings are decided now, everything else when it is asked for. */
export function openSession(flags: GlobalFlags, world: World): Session {
  const { env, clock, terminal, signal } = world;
  const paths = pathsOf(env, world.home, world.platform);
  const lock = { clock, holder: world.holder };
  const configuration = openDocument(paths.config, lock);
  const profiles = openProfiles(configuration);
  const credentials = openCredentials(openDocument(paths.credentials, lock));
  const problems: Failure[] = [];
  const onProblem = (problem: Failure) => {
    if (!world.tolerant) throw problem;
    problems.push(problem);
  };
  const settings = decideSettings({
    flags,
    env,
    config: attempt(configuration.read, onProblem) ?? {},
    findProfile: profiles.get,
    onProblem,
  });
  const say = (text: string) => {
    if (!settings.quiet) void terminal.stderr.write(`${safe(text)}\n`);
  };
  const warning = (text: string) => say(`warning: ${text}`);
  for (const { message } of problems) warning(message);
  for (const text of findUnknownVariables(env)) say(text);

  let connection: Connection | undefined;
  const connect = async (target: Target) => {
    const { openConnection } = await import('./connect.js');
    connection = await openConnection(target, {
      world,
      paths,
      settings,
      credentials,
      say,
      warning,
    });
    return connection.client;
  };
  const context: Context = {
    clock,
    signal,
    flags,
    settings,
    problems,
    profiles,
    config: openConfig(configuration, settings),
    credentials,
    readInput: (path, limit) => readInput(path, limit, terminal.stdin),
    notice: say,
    warning,
    checkFields: (columns) => checkFields(settings.fields, columns),
    client: () =>
      connect(
        decideTarget({ settings, profile: profiles.get(settings.profile), credentials, env }),
      ),
    clientAt: (address, key) => {
      const baseUrl = parseBaseUrl(address, env);
      return connect({
        kind: 'remote',
        label: settings.profile,
        baseUrl,
        key,
        keySource: 'the login',
      });
    },
    originOf: (address) => {
      const { origin, warnings } = parseBaseUrl(address, env);
      for (const text of warnings) warning(text);
      return origin;
    },
    parseKey,
    serve: async (options) =>
      (await import('./host.js')).host(options, { world, paths, settings, warning }),
  };
  return {
    context,
    reached: () => connection?.reached(),
    close: async () => connection?.close(),
  };
}
