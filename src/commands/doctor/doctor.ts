import { getHeader } from '../../api/http.js';
import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { checkBaseUrlHint, Failure, usageError } from '../../failure.js';
import { formatDuration } from '../../format/duration.js';
import { tryParseJson } from '../../format/json.js';
import { singleBatch } from '../records.js';
import { sendMinimalRequest } from '../send-minimal-request.js';

export const columns: readonly Column[] = [
  { key: 'check' },
  { key: 'status' },
  { key: 'detail', canShrink: true },
  { key: 'advice', canShrink: true },
];

interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly detail?: string;
  readonly advice?: string;
}

/** Runs every check, even after one failed. */
export async function doctor(
  context: AppContext,
  options: { readonly contract?: true; readonly write?: true },
): Promise<CommandResult> {
  if (options.contract) return (await import('./contract/contract.js')).contract(context, options);
  if (options.write) throw usageError('invalid_flag', '--write goes with --contract alone');
  context.terminal.checkFields(columns);
  const checks = [
    ...(await checkMachine(context)),
    ...checkConfiguration(context),
    ...(await checkLedger(context)),
    ...(await checkAccount(context)),
  ];
  const records = checks.map(({ detail, ...check }) => ({
    ...check,
    ...(detail !== undefined && { detail: context.terminal.redact(detail) }),
  }));
  const failure = checksFailure(checks);
  const batches = singleBatch(records);
  return { kind: 'records', columns, batches, emptyMessage: '', ...(failure && { failure }) };
}

async function checkMachine({ machine }: AppContext): Promise<readonly Check[]> {
  const { nodeVersion, sqlite, exposed } = await machine();
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isSupported = major > 20 || (major === 20 && minor >= 19);
  const files = exposed.map(({ path, why }) => warning('files', `${path} ${why}`, `chmod go= ${path}`));
  const sqliteUse = 'the sandbox and serve need it; real stores do not';
  return [
    isSupported
      ? ok('node', nodeVersion)
      : { ...warning('node', nodeVersion, 'use Node.js 20.19 or later'), status: 'failed' },
    sqlite.works ? ok('sqlite') : warning('sqlite', sqlite.reason ?? 'missing', sqliteUse),
    ...(files.length > 0 ? files : [ok('files')]),
  ];
}

function checkConfiguration({ config: { problems, store } }: AppContext): readonly Check[] {
  if (problems.length === 0) return [ok('configuration', store.path)];
  return problems.map((problem) => toCheck('configuration', problem));
}

/** Checks the Redis of the shared ledger. Without it, petstore still works. */
async function checkLedger({ quota: { ledgerState } }: AppContext): Promise<readonly Check[]> {
  const health = await ledgerState();
  if (!health) return [];
  const { endpoint, responseMs, problem } = health;
  if (problem === undefined) return [ok('ledger', `${endpoint} answers in ${responseMs} ms`)];
  const advice = 'until it answers, this machine counts the quota alone';
  return [warning('ledger', `${endpoint} ${problem}`, advice)];
}

async function checkAccount(context: AppContext): Promise<readonly Check[]> {
  try {
    const { profile, key, keySource, problem } = await context.config.account();
    if (problem) return [ok('profile', profile), toCheck('account', problem)];
    const source = [key?.mask(), keySource].filter(Boolean).join(' from ');
    return [ok('profile', profile), ok('key', source), ...(await checkService(context))];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [toCheck('profile', error)];
  }
}

/** Checks with one request whether the service responds and accepts the API key, and compares the clocks. */
async function checkService(context: AppContext): Promise<readonly Check[]> {
  try {
    const { response, failure } = await sendMinimalRequest(await context.client());
    const clock = checkClock(getHeader(response.headers, 'date'), context.clock.now());
    if (failure) return [toServiceCheck(failure), clock];
    // A captive portal answers with 200, too.
    const isList = Array.isArray(tryParseJson(response.body)?.value);
    const other = warning('service', 'it answers, but not with a list of pets', checkBaseUrlHint);
    return [isList ? ok('service') : { ...other, status: 'failed' }, clock];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [toServiceCheck(error)];
  }
}

function toServiceCheck(failure: Failure): Check {
  const check = toCheck('service', failure);
  // A used-up quota proves that the service responds.
  return failure.kind === 'rate-limited' ? { ...check, status: 'warning' } : check;
}

function checkClock(date: string | undefined, now: number): Check {
  const skewMs = Date.parse(date ?? '') - now;
  if (Number.isNaN(skewMs)) return ok('clock', 'the service does not tell the time');
  if (Math.abs(skewMs) <= 60_000) return ok('clock');
  const difference = `${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'}`;
  const detail = `this machine is ${difference} the service`;
  return warning('clock', detail, 'set the clock of this machine');
}

function checksFailure(checks: readonly Check[]): Failure | undefined {
  const failed = checks.filter(({ status }) => status === 'failed').map(({ check }) => check);
  if (failed.length === 0) return undefined;
  const count = failed.length === 1 ? 'a check' : `${failed.length} checks`;
  const message = `${count} failed: ${[...new Set(failed)].join(', ')}`;
  return new Failure('system', { code: 'check_failed', message });
}

function ok(check: string, detail?: string): Check {
  return { check, status: 'ok', ...(detail !== undefined && { detail }) };
}

function warning(check: string, detail: string, advice?: string): Check {
  return { check, status: 'warning', detail, ...(advice !== undefined && { advice }) };
}

function toCheck(check: string, { details }: Failure): Check {
  return { ...warning(check, details.message, details.hint), status: 'failed' };
}
