import type { Column, CommandResult } from '../cli/command-result.js';
import type { Clock } from '../clock.js';
import type { GlobalFlags, Settings } from '../config/settings.js';
import type { Failure } from '../failure.js';
import type { ServeFlags } from '../server/server-options.js';
import type { CommandTerminal } from './command-terminal.js';
import type { Configuration } from './configuration.js';
import type { Connections } from './connections.js';
import type { DatabaseOptions, openServerDatabase } from './database.js';
import type { Files } from './files.js';
import type { Machine } from './machine.js';
import type { QuotaAccess } from './quota.js';
import type { runServer } from './run-server.js';
import type { Runtime } from './runtime.js';
import type { SandboxData } from './sandbox.js';

/** What one command can use, and nothing that an action does not. Functions load and open what they return. */
export interface AppContext extends Pick<Connections, 'client' | 'clientAt' | 'connect'> {
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** Aborted with a `Failure` (canceled) when the user or the system ends the command. */
  readonly signal: AbortSignal;
  readonly flags: GlobalFlags;
  /** The fields that the command prints, as it declares them; none if the service determines them. */
  readonly columns: readonly Column[];
  /** The settings in effect. */
  readonly settings: Settings;
  readonly terminal: CommandTerminal;
  readonly config: Configuration;
  readonly quota: QuotaAccess;
  /** Prints a result. Then throws `failure`, if there is one: a command may fail although it has a result. */
  print(result: CommandResult, failure?: Failure): Promise<void>;
  files(): Promise<Files>;
  sandbox(): Promise<SandboxData>;
  machine(): Promise<Machine>;
  serverDatabase(options: DatabaseOptions & { readonly create: boolean }): ReturnType<typeof openServerDatabase>;
  runServer(flags: ServeFlags): ReturnType<typeof runServer>;
}
