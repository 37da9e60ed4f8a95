import { getHeader } from '../../api/http.js';
import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult, TextLayout } from '../../cli/command-result.js';
import { sandboxProfileName } from '../../config/profile.js';
import { checkBaseUrlHint, Failure, installOptionalHint, usageError } from '../../failure.js';
import { formatDuration } from '../../format/duration.js';
import { tryParseJson } from '../../format/json.js';
import { singleBatch } from '../records.js';
import { sendMinimalRequest } from '../send-minimal-request.js';
import { type Check, formatChecks } from './format-checks.js';

export const columns: readonly Column[] = [
  { key: 'check' },
  { key: 'status' },
  { key: 'detail', canShrink: true },
  { key: 'advice', canShrink: true },
];

/** Runs every check, even after one failed. */
export async function doctor(
  context: AppContext,
  options: { readonly contract?: true; readonly write?: true },
): Promise<CommandResult> {
  if (options.contract) return (await import('./contract/contract.js')).contract(context, options);
  if (options.write)
    throw usageError('invalid_flag', '--write requires --contract', 'add --contract, or remove --write');
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
  const text: TextLayout = (style, width) => formatChecks(records, style, width);
  return { kind: 'records', columns, batches, text, emptyMessage: '', ...(failure && { failure }) };
}

async function checkMachine({ machine }: AppContext): Promise<readonly Check[]> {
  const { nodeVersion, sqlite, exposed } = await machine();
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isSupported = major > 20 || (major === 20 && minor >= 19);
  const permissions = exposed.map(({ path, why, fix }) => warning('permissions', `${path} ${why}`, fix));
  const sqliteAdvice = `to use the sandbox or petstore serve, use Node.js 24 or later, or ${installOptionalHint}`;
  return [
    isSupported
      ? ok('node', nodeVersion)
      : { ...warning('node', nodeVersion, 'install Node.js 20.19 or later'), status: 'failed' },
    sqlite.works ? ok('sqlite') : warning('sqlite', sqlite.reason ?? 'SQLite is missing', sqliteAdvice),
    ...(permissions.length > 0 ? permissions : [ok('permissions')]),
  ];
}

function checkConfiguration({ config: { problems, store } }: AppContext): readonly Check[] {
  if (problems.length === 0) return [ok('configuration', store.path)];
  return problems.map((problem) => toCheck('configuration', problem));
}

/** Checks the Redis of the shared ledger. Without it, petstore still works. */
async function checkLedger({ quota: { ledgerState } }: AppContext): Promise<readonly Check[]> {
  const health = await ledgerState();
  if (!health) return [skipped('ledger', 'no Redis is configured; processes on this machine share the quota')];
  const { endpoint, responseMs, problem } = health;
  if (problem === undefined) return [ok('ledger', `${endpoint} responded in ${responseMs} ms`)];
  const advice = 'check that Redis is running and that its URL is correct';
  return [warning('ledger', `${endpoint} ${problem}; only processes on this machine share the quota`, advice)];
}

async function checkAccount(context: AppContext): Promise<readonly Check[]> {
  try {
    const { profile, baseUrl, key, keySource, problem } = await context.config.account();
    const needsBaseUrl = baseUrl === undefined && profile !== sandboxProfileName;
    if (problem && needsBaseUrl) return withoutBaseUrl(problem);
    if (problem) return [ok('profile', profile), toCheck('api-key', problem), ...withoutRequest];
    const source = [key?.mask(), keySource].filter(Boolean).join(' from ');
    return [ok('profile', profile), ok('api-key', source), ...(await checkService(context))];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return withoutBaseUrl(error);
  }
}

/** The checks that need a request, if none can be sent. */
const withoutRequest = ['service', 'clock'].map((check) => skipped(check, 'no request was sent'));

function withoutBaseUrl(problem: Failure): readonly Check[] {
  return [toCheck('profile', problem), skipped('api-key', 'the profile cannot be used'), ...withoutRequest];
}

/** Checks with one request whether the service responds and accepts the API key, and compares the clocks. */
async function checkService(context: AppContext): Promise<readonly Check[]> {
  try {
    const { response, failure } = await sendMinimalRequest(await context.client());
    const clock = checkClock(getHeader(response.headers, 'date'), context.clock.now());
    if (failure) return [toServiceCheck(failure), clock];
    // A captive portal also responds with 200.
    const isList = Array.isArray(tryParseJson(response.body)?.value);
    const detail = `the response is not a list of pets (HTTP ${response.status})`;
    const other = warning('service', detail, checkBaseUrlHint);
    return [isList ? ok('service') : { ...other, status: 'failed' }, clock];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [toServiceCheck(error), skipped('clock', 'the service did not respond')];
  }
}

function toServiceCheck(failure: Failure): Check {
  const check = toCheck('service', failure);
  // A used-up quota proves that the service responds.
  return failure.kind === 'rate-limited' ? { ...check, status: 'warning' } : check;
}

function checkClock(date: string | undefined, now: number): Check {
  const skewMs = Date.parse(date ?? '') - now;
  if (Number.isNaN(skewMs)) return skipped('clock', 'the response has no Date header');
  if (Math.abs(skewMs) <= 60_000) return ok('clock');
  const difference = `${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'}`;
  const detail = `the clock of this machine is ${difference} the service`;
  return warning('clock', detail, 'synchronize the clock of this machine, for example with NTP');
}

function checksFailure(checks: readonly Check[]): Failure | undefined {
  const failed = checks.filter(({ status }) => status === 'failed').map(({ check }) => check);
  if (failed.length === 0) return undefined;
  const count = failed.length === 1 ? '1 check' : `${failed.length} checks`;
  const message = `${count} failed: ${[...new Set(failed)].join(', ')}`;
  const hint = 'follow the advice of each failed check, then run the same command again';
  return new Failure('system', { code: 'check_failed', message, hint });
}

function ok(check: string, detail?: string): Check {
  return { check, status: 'ok', ...(detail !== undefined && { detail }) };
}

function warning(check: string, detail: string, advice?: string): Check {
  return { check, status: 'warning', detail, ...(advice !== undefined && { advice }) };
}

/** Returns a check that could not run. */
function skipped(check: string, detail: string): Check {
  return { check, status: 'skipped', detail };
}

function toCheck(check: string, { details }: Failure): Check {
  return { ...warning(check, details.message, details.hint), status: 'failed' };
}
