import { join } from 'node:path';
import { checkFields } from '../cli/command-result.js';
import { type AnyCommand, rootOf, specOf } from '../cli/command-spec.js';
import { collectGlobalFlags } from '../cli/flags.js';
import { declareAll } from '../cli/program.js';
import { findMisspelledVariables } from '../config/environment.js';
import { createScreenReaderTerminal } from '../terminal/terminal.js';
import { openCommandTerminal } from './command-terminal.js';
import { openConfiguration, readSettings } from './configuration.js';
import { createConnections } from './connections.js';
import type { AppContext } from './context.js';
import { openQuotaAccess } from './quota.js';
import type { Runtime } from './runtime.js';

/** The context of a command, and how to close it. */
export interface OpenContext extends AppContext {
  /** Closes what the command has opened, even if that fails for a part, and prints the quota. Throws the first failure. */
  close(): Promise<void>;
}

/**
 * Opens the settings, terminal, configuration, result format and connections of one command. Each needs those before it.
 * The command itself opens the parts that take long.
 */
export async function openContext(command: AnyCommand, host: Runtime): Promise<OpenContext> {
  const closers: (() => Promise<void>)[] = [];
  const onClose = (close: () => Promise<void>) => void closers.push(close);
  const flags = collectGlobalFlags(command);
  const read = readSettings(flags, host);
  const { settings, paths } = read;
  const { output: columns = [] } = specOf(command);
  if (columns.length > 0) checkFields(settings.fields, columns);
  const { clock, signal } = host;
  const runtime = settings.accessible ? { ...host, terminal: createScreenReaderTerminal(host.terminal, clock) } : host;
  const terminal = await openCommandTerminal(runtime, settings, flags);
  await warnOfMisspelledVariables(command, runtime, terminal.warn);
  const config = openConfiguration(read, runtime, terminal.notice);
  // A program that does not compile is reported before anything is sent.
  const jq = flags.jq === undefined ? undefined : await openJq(flags.jq, runtime);
  if (jq) onClose(jq.close);
  const connections = createConnections({ runtime, settings, terminal, config, onClose });
  const { client, clientAt, connect, printQuota } = connections;
  return {
    runtime,
    clock,
    signal,
    flags,
    columns,
    settings,
    terminal,
    config,
    client,
    clientAt,
    connect,
    quota: openQuotaAccess({ runtime, settings }, terminal, config),
    print: async (result, failure) => {
      const { renderResult } = await import('../cli/render.js');
      await renderResult(result, settings, runtime.terminal, jq).catch((error) => {
        throw failure ?? error;
      });
      if (failure) throw failure;
    },
    files: async () => (await import('./files.js')).openFiles(runtime, paths.imports),
    sandbox: async () => {
      const { openSandboxData } = await import('./sandbox.js');
      const data = await openSandboxData({ runtime, settings, terminal, config });
      onClose(data.close);
      return data;
    },
    machine: async () => (await import('./machine.js')).examineMachine(runtime, paths),
    serverDatabase: async (options) => {
      const { openServerDatabase } = await import('./database.js');
      const opened = await openServerDatabase(options, runtime, terminal, paths);
      onClose(opened.database.close);
      return opened;
    },
    runServer: async (options) => {
      const { runServer } = await import('./run-server.js');
      return runServer(options, { runtime, settings, terminal, paths, onClose });
    },
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
  return openJqRunner(program, { thread: join(packageDirectory, 'bin/jq-worker.js'), clock });
}
