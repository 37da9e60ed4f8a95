import { checkFields } from '../cli/command-result.js';
import { parseApiKey } from '../config/api-key.js';
import { parseBaseUrl } from '../config/base-url.js';
import { createPermissionCheck, openConfigFile } from '../config/config-file.js';
import { openCredentials } from '../config/credentials.js';
import { findUnknownVariables } from '../config/environment.js';
import { createLocks } from '../config/lock.js';
import { resolvePaths } from '../config/paths.js';
import { findProfile, openProfiles } from '../config/profiles.js';
import { openUserSettings, resolveSettings } from '../config/resolve-settings.js';
import type { GlobalFlags, Settings } from '../config/settings.js';
import { apiKeyVariables } from '../config/target.js';
import { catchFailure, type Failure } from '../failure.js';
import { toSafeText } from '../format/safe-text.js';
import type { wrapMessage } from '../format/wrap-message.js';
import { readInput } from '../terminal/input.js';
import type { Style } from '../terminal/output.js';
import { hiddenProgressBar, hiddenSpinner } from '../terminal/progress.js';
import type { Prompter } from '../terminal/prompter.js';
import { createScreenReaderTerminal, type Terminal } from '../terminal/terminal.js';
import type { ActionOptions } from './action.js';
import { findLastQuota, openConnections } from './connections.js';
import type { AppContext, CommandTerminal, UserConfig } from './context.js';
import type { Runtime } from './runtime.js';
import { targetOptions } from './transport.js';

/** Opens the context of one command: settings are resolved now, everything else when it is used. */
export async function openContext(
  flags: GlobalFlags,
  processRuntime: Runtime,
  { toleratesBrokenConfig = false, createsProfile = false }: ActionOptions,
): Promise<AppContext> {
  const { env, clock } = processRuntime;
  const paths = resolvePaths(env, processRuntime.home, processRuntime.platform);
  const locks = createLocks(processRuntime);
  const configFile = openConfigFile(paths.config, locks, { userId: processRuntime.userId });
  const problems: Failure[] = [];
  const onProblem = (problem: Failure) => {
    if (!toleratesBrokenConfig) throw problem;
    problems.push(problem);
  };
  const content = catchFailure(configFile.read, onProblem) ?? {};
  // The problem is reported above; from here on a broken file counts as empty.
  const read = () => catchFailure(configFile.read) ?? {};
  const profiles = openProfiles(toleratesBrokenConfig ? { ...configFile, read } : configFile);
  const mayCreate = createsProfile && Boolean(flags.baseUrl || env.PETSTORE_BASE_URL);
  const settings = resolveSettings({
    flags,
    env,
    config: content,
    findProfile: (name) => findProfile(content, name, mayCreate),
    onFailure: onProblem,
  });
  const runtime = settings.accessible
    ? { ...processRuntime, terminal: createScreenReaderTerminal(processRuntime.terminal, clock) }
    : processRuntime;
  // Loaded now, because messages are printed in order.
  const wrap = runtime.terminal.stderr.isTerminal
    ? (await import('../format/wrap-message.js')).wrapMessage
    : (text: string) => `${text}\n`;
  const style = await runtime.terminal.createStyle('stderr', settings.color);
  const canPrompt = processRuntime.terminal.canRedraw;
  const terminal = openCommandTerminal(runtime, settings, { canPrompt, style, wrap });
  for (const { details } of problems) terminal.warn([details.message, details.hint].filter(Boolean).join('; '));
  for (const text of findUnknownVariables(env)) terminal.warn(text);

  const credentials = openCredentials(
    openConfigFile(paths.credentials, locks, {
      userId: runtime.userId,
      check: createPermissionCheck(runtime.userId, terminal.notice),
    }),
    async () => (await import('../config/keyring.js')).openKeyring(clock),
  );
  const config: UserConfig = {
    paths,
    store: openUserSettings(configFile, settings),
    profiles,
    credentials,
    problems,
    keyVariable: apiKeyVariables.find((name) => env[name] !== undefined),
    account: async () => {
      const { describeAccount, describeAddress } = await import('./account.js');
      const choices = targetOptions(context);
      return settings.curl ? describeAddress(choices) : describeAccount(choices);
    },
    parseBaseUrl: (text) => parseBaseUrl(text, env),
    parseApiKey,
  };
  const closers: (() => Promise<void>)[] = [];
  let hasWarnedOffline = false;
  const context: AppContext = {
    runtime,
    clock,
    signal: runtime.signal,
    flags,
    settings,
    config,
    terminal,
    quota: {
      lastSeen: async () => {
        await context.connections.settled();
        return findLastQuota(context);
      },
      ledgerState: async () =>
        settings.ledger ? (await import('./redis-ledger.js')).checkSharedLedger(settings.ledger, runtime) : undefined,
      warnLedgerOffline: (text) => {
        if (!hasWarnedOffline) terminal.warn(text);
        hasWarnedOffline = true;
      },
    },
    server: {
      start: async (options) => (await import('./run-server.js')).runServer(options, context),
      openKeys: async (options) => (await import('./server-keys.js')).openServerKeys(options, context),
    },
    get connections() {
      connections ??= openConnections(context);
      return connections;
    },
    client: () => context.connections.client(),
    files: async () => (await import('./files.js')).openFiles(runtime, paths.imports),
    sandbox: async () => (await import('./sandbox.js')).openSandboxData(context),
    machine: async () => (await import('./machine.js')).examineMachine(context),
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

function openCommandTerminal(
  { terminal, signal, deferSignals, redactor }: Runtime,
  settings: Settings,
  {
    canPrompt,
    style,
    wrap,
  }: {
    readonly canPrompt: boolean;
    readonly style: Style;
    readonly wrap: typeof wrapMessage | ((text: string) => string);
  },
): CommandTerminal {
  let hasProgress = false;
  let describeWait: (() => string) | undefined;
  /** Prints a line that starts with a mark, which is colored. */
  const print = (text: string, mark = '', paint = (plain: string) => plain) => {
    const lines = wrap(toSafeText(mark + text), terminal.stderr.columns, mark ? {} : { rest: '' });
    void terminal.stderr.write(`${hasProgress ? eraseLine : ''}${paint(mark)}${lines.slice(mark.length)}`);
  };
  const printUnlessQuiet: typeof print = (...line) => {
    if (!settings.quiet) print(...line);
  };
  const notice = (text: string) => printUnlessQuiet(text);
  let prompts: Prompter | undefined;
  return {
    get prompts() {
      prompts ??= terminal.openPrompter({
        canPrompt: mayPrompt(settings, canPrompt),
        accessible: settings.accessible,
        assumeYes: settings.yes,
        color: settings.color,
        signal,
        deferSignals,
      });
      return prompts;
    },
    openScreen: () =>
      terminal.openFullScreen({
        // A user who redirects the result wants the result, not a screen.
        canPrompt: mayPrompt(settings, terminal.canRedraw) && terminal.stdout.isTerminal,
        color: settings.color,
        signal,
        deferSignals,
      }),
    progressBar: async (total) => (settings.quiet ? hiddenProgressBar : terminal.startProgressBar(total)),
    startProgress: (text) => {
      if (settings.quiet || settings.verbose) return hiddenSpinner;
      hasProgress = terminal.canRedraw;
      const { stop } = terminal.startSpinner(() => toSafeText(describeWait ? `${text()}. ${describeWait()}` : text()));
      return {
        stop: () => {
          hasProgress = false;
          return stop();
        },
      };
    },
    showWait: (text) => {
      if (!hasProgress) return undefined;
      describeWait = text;
      return async () => {
        describeWait = undefined;
      };
    },
    get hasProgress() {
      return hasProgress;
    },
    notice,
    success: (text) => printUnlessQuiet(` ${text}`, '✓', style.success),
    warn: (text) => printUnlessQuiet(` ${text}`, 'warning:', style.warning),
    errorLine: (text) => print(text),
    redact: redactor.redact,
    readInput: (path, maxBytes) => {
      if (path === '-' && terminal.stdin.isTerminal) {
        notice('Reading standard input. Press Ctrl-D to end it.');
      }
      return readInput(path, maxBytes, () => terminal.stdin, signal);
    },
    checkFields: (columns) => checkFields(settings.fields, columns),
  };
}

/** Moves the cursor to the start of the line and erases it (ECMA-48 §8.3.41), for a notice in place of the progress. */
const eraseLine = '\r\u001b[K';

/** Returns whether prompts are allowed: not with a machine format, `--no-input` or a terminal that cannot redraw. */
function mayPrompt({ input, output }: Settings, canRedraw: Terminal['canRedraw']): boolean {
  return input && output === 'table' && canRedraw;
}
