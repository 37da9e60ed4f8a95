import { getHeader } from '../../api/http.js';
import type { AppContext } from '../../app/context.js';
import type { Machine } from '../../app/machine.js';
import type { CommandResult, TextLayout } from '../../cli/command-result.js';
import { readOnlyVariable } from '../../config/environment.js';
import { sandboxProfileName } from '../../config/settings.js';
import { checkBaseUrlHint, Failure, type Hint, installOptionalHint, nothingSent } from '../../failure.js';
import { formatDuration } from '../../format/duration.js';
import { formatHint } from '../../format/hint.js';
import { tryParseJson } from '../../format/json.js';
import { wrapMessage } from '../../format/wrap.js';
import { sendMinimalRequest } from '../send-minimal-request.js';

/** One line of the report. A check that does not apply has none; one with several problems has a line for each. */
interface Check {
  readonly check: 'node' | 'sqlite' | 'permissions' | 'configuration' | 'profile' | 'api-key' | 'service' | 'clock';
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail?: string | undefined;
  /** What the user can do about it. */
  readonly advice?: Hint | undefined;
}

/** Runs every check, even after one failed. */
export async function doctor(context: AppContext): Promise<void> {
  const all: readonly Check[] = [
    ...checkMachine(await context.machine()),
    ...checkConfiguration(context),
    ...(await checkAccount(context)),
  ];
  const checks = all.map(({ check, status, detail, advice }) => ({
    check,
    status,
    ...(detail !== undefined && { detail: context.terminal.redact(detail) }),
    ...(advice !== undefined && { advice }),
  }));
  const records = checks.map((check) => (check.advice ? { ...check, advice: formatHint(check.advice) } : check));
  const result: CommandResult = {
    kind: 'records',
    columns: context.columns,
    records,
    emptyMessage: '',
    text: formatChecks(checks),
  };
  await context.print(result, checksFailure(checks));
}

function checkMachine({ nodeVersion, sqliteProblem, unwritable }: Machine): readonly Check[] {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isSupported = major > 20 || (major === 20 && minor >= 19);
  const advice = `to use the sandbox or petstore serve, use Node.js 24 or later, or ${installOptionalHint}`;
  const fix = 'check its owner and permissions, or set PETSTORE_CONFIG_DIR to another directory';
  return [
    isSupported
      ? { check: 'node', status: 'ok', detail: nodeVersion }
      : { check: 'node', status: 'failed', detail: nodeVersion, advice: 'install Node.js 20.19 or later' },
    sqliteProblem === undefined
      ? { check: 'sqlite', status: 'ok' }
      : { check: 'sqlite', status: 'warning', detail: sqliteProblem, advice },
    ...(unwritable.length === 0 ? [{ check: 'permissions', status: 'ok' } as const] : []),
    ...unwritable.map(
      (path) => ({ check: 'permissions', status: 'warning', detail: `cannot write in ${path}`, advice: fix }) as const,
    ),
  ];
}

function checkConfiguration({ config: { problems, store } }: AppContext): readonly Check[] {
  // The check of the profile reports an unknown one.
  const own = problems.filter(({ details }) => details.code !== 'unknown_profile');
  if (own.length > 0) return own.map((failure) => toCheck('configuration', failure));
  return [{ check: 'configuration', status: 'ok', detail: store.path }];
}

async function checkAccount(context: AppContext): Promise<readonly Check[]> {
  const { config, settings } = context;
  if (config.isUnreadable) {
    return [skipped('profile', 'the configuration cannot be read'), ...withoutProfile];
  }
  try {
    const { profile, baseUrl, key, keySource, problem } = await config.account();
    const isSandbox = profile === sandboxProfileName && settings.baseUrl === undefined;
    if (problem && baseUrl === undefined && !isSandbox) return [toCheck('profile', problem), ...withoutProfile];
    if (problem) return [checkProfile(context, baseUrl), toCheck('api-key', problem), withoutKey];
    const detail = [key?.mask(), keySource].filter(Boolean).join(' from ');
    return [
      checkProfile(context, baseUrl),
      { check: 'api-key', status: 'ok', detail },
      ...(await checkService(context)),
    ];
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'canceled') throw error;
    return [toCheck('profile', error), ...withoutProfile];
  }
}

function checkProfile({ flags, settings }: AppContext, baseUrl: string | undefined): Check {
  const { profile, readOnly } = settings;
  const source = settings.baseUrl && (flags.baseUrl === undefined ? ' from PETSTORE_BASE_URL' : ' from --base-url');
  const parts = [
    profile,
    baseUrl && `base URL ${baseUrl}${source ?? ''}`,
    readOnly && { environment: `read-only because of ${readOnlyVariable}`, profile: 'read-only' }[readOnly],
  ];
  return { check: 'profile', status: 'ok', detail: parts.filter(Boolean).join(', ') };
}

const withoutKey = skipped('service', nothingSent);
const withoutProfile = [skipped('api-key', 'the profile cannot be used'), withoutKey];

/** Checks with one request whether the service responds and accepts the API key, and compares the clocks. */
async function checkService(context: AppContext): Promise<readonly Check[]> {
  try {
    const { response, failure } = await sendMinimalRequest(await context.client());
    const clock = checkClock(getHeader(response.headers, 'date'), context.clock.now());
    if (failure) return [toServiceCheck(failure), ...clock];
    // A captive portal also responds with 200.
    if (Array.isArray(tryParseJson(response.body)?.value)) return [{ check: 'service', status: 'ok' }, ...clock];
    const detail = `the response is not a list of pets (HTTP ${response.status})`;
    return [{ check: 'service', status: 'failed', detail, advice: checkBaseUrlHint }, ...clock];
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'canceled') throw error;
    return [toServiceCheck(error)];
  }
}

function toServiceCheck(failure: Failure): Check {
  const check = toCheck('service', failure);
  // A used-up quota proves that the service responds.
  return failure.kind === 'rate-limited' ? { ...check, status: 'warning', detail: failure.message } : check;
}

function checkClock(date: string | undefined, now: number): readonly Check[] {
  const skewMs = Date.parse(date ?? '') - now;
  if (Number.isNaN(skewMs)) return [];
  if (Math.abs(skewMs) <= 60_000) return [{ check: 'clock', status: 'ok' }];
  const difference = `${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'}`;
  const detail = `the clock of this machine is ${difference} the service`;
  const advice = 'synchronize the clock of this machine, for example with NTP';
  return [{ check: 'clock', status: 'warning', detail, advice }];
}

function checksFailure(checks: readonly Check[]): Failure | undefined {
  const failed = new Set(checks.filter(({ status }) => status === 'failed').map(({ check }) => check));
  if (failed.size === 0) return undefined;
  const message = `${failed.size === 1 ? '1 check' : `${failed.size} checks`} failed: ${[...failed].join(', ')}`;
  const hint = 'follow the advice of each failed check, then run the same command again';
  return new Failure('system', { code: 'check_failed', message, hint });
}

/** Returns a check that could not run. */
function skipped(check: Check['check'], reason: string): Check {
  return { check, status: 'skipped', detail: reason };
}

function toCheck(check: Check['check'], { details: { message, hint } }: Failure): Check {
  return { check, status: 'failed', detail: message, advice: hint };
}

const marks = { ok: '✓', warning: '!', failed: '✗', skipped: '-' } as const;

/** Formats one line for each check, and the advice below. Nothing is cut: longer lines are wrapped at words. */
function formatChecks(checks: readonly Check[]): TextLayout {
  const longest = Math.max(...checks.map(({ check }) => check.length));
  const margin = '    ';
  return (style, width) => {
    const paints = { ok: style.success, warning: style.warning, failed: style.error, skipped: style.dim };
    const lines = checks.map(({ check, status, detail = '', advice }) => {
      const text = `${check.padEnd(longest)}  ${status === 'skipped' ? 'skipped: ' : ''}${detail}`.trimEnd();
      const line = wrapMessage(text, width, `${marks[status]} `, margin);
      const below = advice === undefined ? '' : wrapMessage(advice, width, margin, margin);
      return `${paints[status](marks[status])}${line.slice(marks[status].length)}${below}`;
    });
    return lines.join('');
  };
}
