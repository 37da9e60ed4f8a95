import { join } from 'node:path';
import { type CommandResult, checkFields } from '../cli/command-result.js';
import { type AnyCommand, detailsOf, rootOf } from '../cli/command-spec.js';
import { collectGlobalFlags } from '../cli/flags.js';
import { declareAll } from '../cli/program.js';
import { findMisspelledVariables } from '../config/environment.js';
import type { Failure } from '../failure.js';
import type { ServeFlags } from '../server/server-options.js';
import { createScreenReaderTerminal } from '../terminal/terminal.js';
import { openCommandTerminal } from './command-terminal.js';
import { openConfiguration, readSettings } from './configuration.js';
import { createConnections } from './connections.js';
import type { DatabaseOptions } from './database.js';
import type { Parts } from './parts.js';
import { openAccountQuota } from './quota.js';
import type { Runtime } from './runtime.js';

/** What one command can use, and how to close it. */
export type OpenContext = Awaited<ReturnType<typeof openAppContext>>;

/** What an action can use. */
export type AppContext = Omit<OpenContext, 'close'>;

/**
 * Opens the settings, terminal, configuration, result format and connections of one command. Each needs those before it.
 * The functions open what takes long, and are called by the command itself.
 */
export async function openAppContext(command: AnyCommand, host: Runtime) {
  const closers: (() => Promise<void>)[] = [];
  const onClose = (close: () => Promise<void>) => void closers.push(close);
  const flags = collectGlobalFlags(command);
  const read = readSettings(flags, host);
  const { settings, paths } = read;
  const { output: columns = [] } = detailsOf(command);
  if (columns.length > 0) checkFields(settings.fields, columns);
  const { clock, signal } = host;
  const runtime = settings.accessible ? { ...host, terminal: createScreenReaderTerminal(host.terminal, clock) } : host;
  const terminal = await openCommandTerminal(runtime, settings, flags);
  await warnOfMisspelledVariables(command, runtime, terminal.warn);
  const config = openConfiguration(read, runtime, terminal.notice);
  const parts: Parts = { runtime, settings, terminal, config, onClose };
  // A program that does not compile is reported before anything is sent.
  const jq = flags.jq === undefined ? undefined : await openJq(flags.jq, runtime);
  if (jq) onClose(jq.close);
  const { printQuota, ...connections } = createConnections(parts);
  return {
    runtime,
    clock,
    /** Aborted with a `Failure` (canceled) when the user or the system ends the command. */
    signal,
    flags,
    /** The fields that the command prints, as it declares them; none if the service determines them. */
    columns,
    settings,
    terminal,
    config,
    ...connections,
    /** Prints a result. Then throws `failure`, if there is one: a command may fail although it has a result. */
    print: async (result: CommandResult, failure?: Failure) => {
      const { renderResult } = await import('../cli/render.js');
      await renderResult(result, settings, runtime.terminal, jq).catch((error) => {
        throw failure ?? error;
      });
      if (failure) throw failure;
    },
    /** Opens the quota state of the account in use; undefined if it has no API key. */
    accountQuota: () => openAccountQuota(parts),
    files: async () => (await import('./files.js')).openFiles(runtime, paths.imports),
    sandbox: async () => (await import('./sandbox.js')).openSandboxData(parts),
    machine: async () => (await import('./machine.js')).examineMachine(runtime, paths),
    serverDatabase: async (options: DatabaseOptions & { readonly create: boolean }) =>
      (await import('./database.js')).openServerDatabase(options, parts),
    runServer: async (options: ServeFlags) => (await import('./run-server.js')).runServer(options, parts),
    /** Closes what the command has opened, even if that fails for a part, and prints the quota. Throws the first failure. */
    close: async () => {
      const closed = await Promise.allSettled(closers.map((close) => close()));
      await printQuota();
      const failed = closed.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    },
  };
}

async function warnOfMisspelledVariables(
  command: AnyCommand,
  { env }: Runtime,
  warn: (text: string) => void,
): Promise<void> {
  const listFlagVariables = async () =>
    (await import('../cli/flag-variables.js')).listFlagVariables(declareAll(rootOf(command)));
  for (const text of await findMisspelledVariables(env, listFlagVariables)) warn(text);
}

async function openJq(program: string, { packageDirectory, clock }: Runtime) {
  const { openJqRunner } = await import('../format/jq-runner.js');
  return openJqRunner(program, join(packageDirectory, 'bin/jq-worker.js'), clock);
}
