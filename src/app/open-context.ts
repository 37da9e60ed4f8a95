import { join } from 'node:path';
import { checkFields } from '../cli/command-result.js';
import { type AnyCommand, manualOf, rootOf } from '../cli/command-spec.js';
import { collectGlobalFlags } from '../cli/flags.js';
import { declareAll } from '../cli/program.js';
import { parseApiKey } from '../config/api-key.js';
import { parseBaseUrl } from '../config/base-url.js';
import { createPermissionCheck, openConfigFile } from '../config/config-file.js';
import { openCredentials } from '../config/credentials.js';
import { findMisspelledVariables } from '../config/environment.js';
import { createLocks } from '../config/files.js';
import { resolvePaths } from '../config/paths.js';
import { findProfile, openProfiles } from '../config/profile.js';
import { openUserSettings, resolveSettings } from '../config/resolve-settings.js';
import { type GlobalFlags, getSetting } from '../config/settings.js';
import { apiKeyVariables, type TargetOptions } from '../config/target.js';
import { catchFailure, type Failure } from '../failure.js';
import { formatProblem } from '../format/hint.js';
import { createScreenReaderTerminal } from '../terminal/terminal.js';
import { describeAccount } from './account.js';
import type { ActionOptions } from './action.js';
import { openCommandTerminal } from './command-terminal.js';
import { openConnections } from './connections.js';
import type { AppContext, CommandTerminal, UserConfig } from './context.js';
import { openQuotaAccess } from './quota.js';
import type { Runtime } from './runtime.js';
import { targetOptions } from './transport.js';

/** Opens the context of one command: settings are resolved now, everything else when it is used. */
export async function openContext(
  command: AnyCommand,
  processRuntime: Runtime,
  options: ActionOptions,
): Promise<AppContext> {
  const flags = collectGlobalFlags(command);
  const { output: columns = [] } = manualOf(command);
  const { clock } = processRuntime;
  const configuration = await readConfiguration(flags, processRuntime, options);
  const { settings, paths } = configuration;
  if (columns.length > 0) checkFields(settings.fields, columns);
  const runtime = settings.accessible
    ? { ...processRuntime, terminal: createScreenReaderTerminal(processRuntime.terminal, clock) }
    : processRuntime;
  const listFlagVariables = async () =>
    (await import('../cli/flag-variables.js')).listFlagVariables(declareAll(rootOf(command)));
  const terminal = await openCommandTerminal(runtime, settings, flags);
  printProblems(configuration, terminal, options);
  const warnings = await findMisspelledVariables(runtime.env, listFlagVariables);
  if (!options.printsWarnings) for (const text of warnings) terminal.warn(text);
  const config = openUserConfig({ ...configuration, warnings }, runtime, terminal.notice, () => targetOptions(context));
  const closers: (() => Promise<void>)[] = [];
  // A program that does not compile is reported before anything is sent.
  const jq = flags.jq === undefined ? undefined : await openJq(flags.jq, runtime);
  if (jq) closers.push(jq.close);
  const context: AppContext = {
    runtime,
    clock,
    signal: runtime.signal,
    flags,
    columns,
    settings,
    config,
    terminal,
    get quota() {
      return openQuotaAccess(context);
    },
    server: {
      start: async (options) => (await import('./run-server.js')).runServer(options, context),
      openDatabase: async (options) => (await import('./database.js')).openServerDatabase(options, context),
    },
    get connections() {
      connections ??= openConnections(context);
      return connections;
    },
    client: () => context.connections.client(),
    files: async () => (await import('./files.js')).openFiles(runtime, paths.imports),
    sandbox: async () => (await import('./sandbox-data.js')).openSandboxData(context),
    machine: async () => (await import('./machine.js')).examineMachine(context),
    print: async (result, failure) => {
      const { renderResult } = await import('../cli/render.js');
      await renderResult(result, settings, runtime.terminal, jq).catch((error) => {
        throw failure ?? error;
      });
      if (failure) throw failure;
    },
    onClose: (close) => void closers.push(close),
    close: async () => {
      const closed = await Promise.allSettled(closers.map((close) => close()));
      const failed = closed.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
      connections?.throwIfAborted();
    },
  };
  let connections: AppContext['connections'] | undefined;
  return context;
}

async function openJq(program: string, { packageDirectory, clock }: Runtime) {
  const { openJqRunner } = await import('../format/jq-runner.js');
  return openJqRunner(program, { thread: join(packageDirectory, 'bin/jq-worker.js'), clock });
}

type Configuration = Awaited<ReturnType<typeof readConfiguration>>;

/** Reads the files of this user and resolves the settings. Problems are collected if the command tolerates them. */
async function readConfiguration(flags: GlobalFlags, runtime: Runtime, options: ActionOptions) {
  const { toleratesBrokenConfig = false, changesConfig = false, createsProfile = false } = options;
  const { env, importWithoutListeners: importModule } = runtime;
  const paths = resolvePaths(env, runtime.home, runtime.platform);
  const locks = createLocks(runtime);
  const configFile = openConfigFile(paths.config, locks, { importModule });
  const problems: Failure[] = [];
  const onProblem = (problem: Failure) => {
    if (!toleratesBrokenConfig) throw problem;
    problems.push(problem);
  };
  const content = changesConfig ? configFile.read() : (catchFailure(configFile.read, onProblem) ?? {});
  // The problem is reported above; from here on a broken file counts as empty.
  const read = () => catchFailure(configFile.read) ?? {};
  const profiles = openProfiles(toleratesBrokenConfig ? { ...configFile, read } : configFile);
  const isUnreadable = problems.length > 0;
  const settings = resolveSettings({
    flags,
    env,
    config: content,
    configPath: paths.config,
    findProfile: (name) => findProfile(content, name, createsProfile),
    onFailure: onProblem,
  });
  const isProfileUnknown = isUnreadable && ['setting', 'default'].includes(getSetting(settings, 'profile').origin);
  return { paths, locks, configFile, profiles, settings, problems, isProfileUnknown };
}

/** Warns of problems that do not stop the command. */
function printProblems(
  { problems }: Configuration,
  terminal: CommandTerminal,
  { reportsProblems }: ActionOptions,
): void {
  if (reportsProblems) return;
  for (const problem of problems) terminal.warn(formatProblem(problem));
}

/** Opens the settings, profiles and API keys of this user; each is read when it is used. */
function openUserConfig(
  configuration: Configuration & Pick<UserConfig, 'warnings'>,
  { env, clock, userId, importWithoutListeners: importModule }: Runtime,
  notice: (text: string) => void,
  getTargetOptions: () => TargetOptions,
): UserConfig {
  const { paths, locks, configFile, profiles, settings, problems, isProfileUnknown, warnings } = configuration;
  // Windows has no file modes.
  const check = userId === undefined ? undefined : createPermissionCheck(notice);
  const credentials = openCredentials(openConfigFile(paths.credentials, locks, { check, importModule }), async () => {
    const { openKeyring } = await import('../config/keyring.js');
    return openKeyring(clock);
  });
  return {
    paths,
    store: openUserSettings(configFile, settings),
    profiles,
    credentials,
    problems,
    isProfileUnknown,
    warnings,
    keyVariable: apiKeyVariables.find((name) => env[name] !== undefined),
    account: () => describeAccount(getTargetOptions()),
    parseBaseUrl: (text) => parseBaseUrl(text, env),
    parseApiKey,
  };
}
