import { checkFields } from '../cli/check-fields.js';
import type { Session } from '../cli/run.js';
import { parseApiKey } from '../config/api-key.js';
import { parseBaseUrl } from '../config/base-url.js';
import { openUserSettings } from '../config/config.js';
import { createPermissionCheck, openConfigFile } from '../config/config-file.js';
import { openCredentials } from '../config/credentials.js';
import { findUnknownVariables } from '../config/environment.js';
import { createLocks } from '../config/lock.js';
import { resolvePaths } from '../config/paths.js';
import { findProfile, openProfiles } from '../config/profiles.js';
import { resolveSettings } from '../config/resolve-settings.js';
import type { GlobalFlags, Settings } from '../config/settings.js';
import { apiKeyVariables } from '../config/target.js';
import { catchFailure, type Failure } from '../failure.js';
import { toSafeText } from '../format/safe-text.js';
import { readInput } from '../terminal/input.js';
import { hiddenProgressBar } from '../terminal/progress.js';
import type { Prompter } from '../terminal/prompter.js';
import type { Terminal } from '../terminal/terminal.js';
import { createScreenReaderTerminal } from '../terminal/terminal.js';
import { openClients } from './clients.js';
import { createClosers } from './closers.js';
import type { Context } from './context.js';
import type { World } from './runtime.js';

/** Opens the world for one command: settings are decided now, everything else when it is asked for. */
export function openSession(flags: GlobalFlags, given: World): Session {
  const { env, clock, signal } = given;
  const paths = resolvePaths(env, given.home, given.platform);
  const locks = createLocks(given);
  const configuration = openConfigFile(paths.config, locks);
  const problems: Failure[] = [];
  const onProblem = (problem: Failure) => {
    if (!given.tolerant) throw problem;
    problems.push(problem);
  };
  const config = catchFailure(configuration.read, onProblem) ?? {};
  // What cannot be read was told above, and is from here on like what is not there.
  const read = () => catchFailure(configuration.read) ?? {};
  const profiles = openProfiles(given.tolerant ? { ...configuration, read } : configuration);
  const findConfiguredProfile = (name: string) => findProfile(config, name);
  const settings = resolveSettings({
    flags,
    env,
    config,
    findProfile: findConfiguredProfile,
    onFailure: onProblem,
  });
  const world = settings.accessible
    ? { ...given, terminal: createScreenReaderTerminal(given.terminal, clock) }
    : given;
  const { terminal } = world;
  const say = (text: string) => {
    if (!settings.quiet) void terminal.stderr.write(`${toSafeText(text)}\n`);
  };
  const warning = (text: string) => say(`warning: ${text}`);
  let isAwayTold = false;
  const tellAway = (text: string) => {
    if (!isAwayTold) warning(text);
    isAwayTold = true;
  };
  for (const { message } of problems) warning(message);
  for (const text of findUnknownVariables(env)) warning(text);

  const credentials = openCredentials(
    openConfigFile(paths.credentials, locks, createPermissionCheck(world.userId, say)),
    async () => (await import('../config/keyring.js')).openKeyring(clock),
  );
  const choices = () => ({
    settings,
    profile: profiles.get(settings.profile),
    credentials,
    env,
  });
  const surroundings = { world, paths, settings, credentials, say, warning, tellAway };
  const closers = createClosers();
  const { reached, settled, throwIfAborted, ...clients } = openClients(
    choices,
    surroundings,
    closers,
  );
  let asker: Prompter | undefined;
  const context: Context = {
    clock,
    signal,
    flags,
    settings,
    problems,
    profiles,
    config: openUserSettings(configuration, settings),
    credentials,
    readInput: (path, limit) => {
      if (path === '-' && terminal.stdin.isTerminal) say('reading standard input; Ctrl-D ends it');
      return readInput(path, limit, () => terminal.stdin, signal);
    },
    get ask() {
      asker ??= terminal.openPrompter({
        canPrompt: mayAsk(settings, given.terminal),
        accessible: settings.accessible,
        assumeYes: settings.yes,
        color: settings.color,
        signal,
        deferSignals: world.deferSignals,
      });
      return asker;
    },
    screen: async () =>
      terminal.openFullScreen({
        // Whoever takes the result elsewhere wants a result.
        canPrompt: mayAsk(settings, terminal) && terminal.stdout.isTerminal,
        color: settings.color,
        signal,
        deferSignals: world.deferSignals,
      }),
    notice: say,
    warning,
    redact: world.redactor.redact,
    checkFields: (columns) => checkFields(settings.fields, columns),
    account: async () => {
      const { describeAccount, placeOnly } = await import('./account.js');
      return settings.curl ? placeOnly(choices()) : describeAccount(choices());
    },
    lastQuota: async () => {
      await settled();
      return (await import('./last-quota.js')).lastQuota(context, surroundings);
    },
    ledger: async () =>
      settings.ledger && (await import('./fleet.js')).examineFleet(settings.ledger, world),
    sandbox: async () => {
      const { openData } = await import('./sandbox-data.js');
      const data = await openData(surroundings);
      closers.add(data.close);
      return data;
    },
    machine: async () => (await import('./machine.js')).examine(world, paths),
    ...clients,
    files: async () => (await import('./files.js')).openFiles(world, paths.imports),
    bar: async (total) => (settings.quiet ? hiddenProgressBar : terminal.startProgressBar(total)),
    parseBaseUrl: (text) => parseBaseUrl(text, env),
    parseKey: parseApiKey,
    environmentKey: apiKeyVariables.find((name) => env[name] !== undefined),
    serve: async (options) => {
      const { host } = await import('./serve.js');
      const served = await host(options, surroundings);
      closers.add(served.end);
      return served;
    },
    servedKeys: async (options) => {
      const { openKeys } = await import('./served-keys.js');
      const keys = await openKeys(options, world, paths);
      closers.add(keys.close);
      return keys;
    },
  };
  return {
    context,
    reached,
    close: async () => {
      await closers.closeAll();
      throwIfAborted();
    },
  };
}

/** Nobody is asked in a machine format, with `--no-input`, or where a line cannot be drawn again. */
function mayAsk({ input, output }: Settings, { canRedraw: redraws }: Terminal): boolean {
  return input && output === 'table' && redraws;
}
