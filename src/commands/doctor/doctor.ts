import { getHeader } from '../../api/http.js';
import type { AppContext, Machine } from '../../app/context.js';
import type { TextLayout } from '../../cli/command-result.js';
import { readOnlyVariable } from '../../config/environment.js';
import { sandboxProfileName } from '../../config/profile.js';
import { checkBaseUrlHint, Failure, type Hint, installOptionalHint, nothingSent } from '../../failure.js';
import { formatDuration } from '../../format/duration.js';
import { formatHint } from '../../format/hint.js';
import { tryParseJson } from '../../format/json.js';
import { sendMinimalRequest } from '../send-minimal-request.js';
import { type Check, combineChecks, formatChecks } from './format-checks.js';

type CheckName =
  | 'node'
  | 'sqlite'
  | 'permissions'
  | 'configuration'
  | 'quota-store'
  | 'profile'
  | 'api-key'
  | 'service'
  | 'clock';

/** Runs every check, even after one failed. */
export async function doctor(context: AppContext): Promise<void> {
  // First: reading the API key may repair the permissions of its file.
  const accountChecks = await checkAccount(context);
  const machine = await context.machine();
  const checks = [
    ...checkMachine(machine),
    checkConfiguration(context),
    await checkQuotaStore(context, machine),
    ...accountChecks,
  ];
  const redacted = checks.map((check) => redactDetails(check, context));
  const records = redacted.map(({ problems: _problems, advice, ...record }) => ({
    ...record,
    ...(advice !== undefined && { advice: formatHint(advice) }),
  }));
  const text: TextLayout = (style, width) => formatChecks(redacted, style, width);
  const { columns } = context;
  await context.print({ kind: 'records', columns, records, text, emptyMessage: '' }, checksFailure(checks));
}

function redactDetails({ detail, problems, ...check }: Check, { terminal: { redact } }: AppContext): Check {
  return {
    ...check,
    ...(detail !== undefined && { detail: redact(detail) }),
    ...(problems && { problems: problems.map((problem) => ({ ...problem, detail: redact(problem.detail ?? '') })) }),
  };
}

function checkMachine({ nodeVersion, sqlite, pathProblems }: Machine): readonly Check[] {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isSupported = major > 20 || (major === 20 && minor >= 19);
  const [problem, ...others] = pathProblems.map(({ path, why, fix }) => warning('permissions', `${path} ${why}`, fix));
  const sqliteAdvice = `to use the sandbox or petstore serve, use Node.js 24 or later, or ${installOptionalHint}`;
  return [
    isSupported
      ? ok('node', nodeVersion)
      : { ...warning('node', nodeVersion, 'install Node.js 20.19 or later'), status: 'failed' },
    sqlite.works ? ok('sqlite') : warning('sqlite', sqlite.reason ?? 'SQLite is missing', sqliteAdvice),
    problem ? combineChecks([problem, ...others]) : ok('permissions'),
  ];
}

function checkConfiguration({ config: { problems, store } }: AppContext): Check {
  const [problem, ...others] = problems
    // The check of the profile reports it.
    .filter(({ details }) => details.code !== 'unknown_profile')
    .map((failure) => toCheck('configuration', failure));
  return problem ? combineChecks([problem, ...others]) : ok('configuration', store.path);
}

/** Checks the Redis of the shared quota. Without it, petstore still works. */
async function checkQuotaStore(
  { quota: { checkStore }, runtime: { env } }: AppContext,
  { canSaveQuota }: Machine,
): Promise<Check> {
  const health = await checkStore();
  const unsaved = 'the quota cannot be saved, so processes do not share it';
  if (!health) {
    const others = canSaveQuota ? 'processes on this machine share the quota' : unsaved;
    // The check of the configuration reports an invalid URL.
    const missing = env.PETSTORE_QUOTA_STORE ? 'valid Redis URL' : 'Redis';
    return skipped('quota-store', `no ${missing} is configured; ${others}`);
  }
  const { endpoint, responseMs, problem } = health;
  if (problem === undefined) return ok('quota-store', `${endpoint} responded in ${responseMs} ms`);
  const advice = 'check that Redis is running and that its URL is correct';
  const others = canSaveQuota ? 'only processes on this machine share the quota' : unsaved;
  return warning('quota-store', `${endpoint} ${problem}; ${others}`, advice);
}

async function checkAccount(context: AppContext): Promise<readonly Check[]> {
  if (context.config.isProfileUnknown && context.settings.baseUrl === undefined) {
    return [skipped('profile', 'the configuration cannot be read'), ...withoutProfile];
  }
  try {
    const { profile, baseUrl, key, keySource, problem } = await context.config.account();
    const isSandbox = profile === sandboxProfileName && context.settings.baseUrl === undefined;
    const needsBaseUrl = baseUrl === undefined && !isSandbox;
    if (problem && needsBaseUrl) return withoutBaseUrl(problem);
    if (problem) return [checkProfile(context, baseUrl), toCheck('api-key', problem), ...withoutRequest];
    const source = [key?.mask(), keySource].filter(Boolean).join(' from ');
    return [checkProfile(context, baseUrl), ok('api-key', source), ...(await checkService(context))];
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'canceled') throw error;
    return withoutBaseUrl(error);
  }
}

function checkProfile(context: AppContext, baseUrl: string | undefined): Check {
  const { profile, readOnly } = context.settings;
  const parts = [
    profile,
    baseUrl && `base URL ${baseUrl}${describeBaseUrlSource(context)}`,
    readOnly && { environment: `read-only because of ${readOnlyVariable}`, profile: 'read-only' }[readOnly],
  ];
  return ok('profile', parts.filter(Boolean).join(', '));
}

function describeBaseUrlSource({ flags, settings }: AppContext): string {
  if (flags.baseUrl !== undefined) return ' from --base-url';
  return settings.baseUrl === undefined ? '' : ' from PETSTORE_BASE_URL';
}

const noRequest = 'no request was sent';

/** The checks that need a request, if none can be sent. */
const withoutRequest = (['service', 'clock'] as const).map((check) => skipped(check, noRequest));

/** The checks that need a profile, if none can be used. */
const withoutProfile = [skipped('api-key', 'the profile cannot be used'), ...withoutRequest];

function withoutBaseUrl(problem: Failure): readonly Check[] {
  return [toCheck('profile', problem), ...withoutProfile];
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
    if (!(error instanceof Failure) || error.kind === 'canceled') throw error;
    const wasSent = error.details.outcome !== nothingSent;
    return [toServiceCheck(error), skipped('clock', wasSent ? 'no response was received' : noRequest)];
  }
}

function toServiceCheck(failure: Failure): Check {
  const check = toCheck('service', failure);
  // A used-up quota proves that the service responds.
  return failure.kind === 'rate-limited' ? { ...check, status: 'warning', detail: failure.message } : check;
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
  const message = `${count} failed: ${failed.join(', ')}`;
  const hint = 'follow the advice of each failed check, then run the same command again';
  return new Failure('system', { code: 'check_failed', message, hint });
}

function ok(check: CheckName, detail?: string): Check {
  return { check, status: 'ok', ...(detail !== undefined && { detail }) };
}

function warning(check: CheckName, detail: string, advice?: Hint): Check {
  return { check, status: 'warning', detail, ...(advice !== undefined && { advice }) };
}

/** Returns a check that could not run. */
function skipped(check: CheckName, detail: string): Check {
  return { check, status: 'skipped', detail };
}

function toCheck(check: CheckName, { details: { message, hint } }: Failure): Check {
  return { ...warning(check, message, hint), status: 'failed' };
}
