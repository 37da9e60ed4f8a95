import { keyPattern } from '../../../api/http.js';
import { findPlanByLimits, overrideLimits, plans } from '../../../api/plan.js';
import type { AppContext } from '../../../app/context.js';
import type { DatabaseOptions } from '../../../app/database.js';
import { type CommandResult, pickFields } from '../../../cli/command-result.js';
import { dayMs } from '../../../clock.js';
import { type Failure, type Hint, usageError } from '../../../failure.js';
import { formatRelativeTime } from '../../../format/duration.js';
import * as apiKeys from '../../../server/api-keys.js';
import type { ServeFlags } from '../../../server/server-options.js';

interface DetailFlags extends DatabaseOptions, Pick<ServeFlags, 'plan' | 'perMinute' | 'perDay'> {
  readonly label?: string;
  readonly expires?: number | 'never';
}

/** Creates an API key and returns it. The database stores a digest only, so it cannot be shown again. */
export async function create(context: AppContext, flags: DetailFlags): Promise<CommandResult> {
  checkKeyIsPrinted(context);
  const { label, expires, plan = 'free' } = flags;
  const now = context.clock.now();
  checkExpiry(flags, now);
  const { database, displayName, generateKey } = await context.serverDatabase({ ...flags, create: true });
  const key = generateKey().reveal();
  const expiresAt = expires === 'never' ? undefined : expires;
  const details = { limits: overrideLimits(plans[plan], flags), label, expiresAt };
  const record = await apiKeys.createApiKey(database, key, details, now);
  if (!record) throw labelInUse(label);
  return newKeyResult(context, key, record, displayName);
}

/** Returns every API key of the server, the oldest first. */
export async function list({ settings, runtime, clock, ...context }: AppContext, flags: DatabaseOptions) {
  const { database, databaseFlag } = await context.serverDatabase({ ...flags, create: false });
  const records = (await apiKeys.listApiKeys(database, clock.now())).map((key) => ({
    ...toRecord(key),
    minuteLeft: key.minute.remaining,
    dayLeft: key.day.remaining,
    bannedUntil: toTime(key.bannedUntil),
    createdAt: toTime(key.createdAt),
    successor: key.successor === undefined ? null : `${key.successor}…`,
  }));
  const isForPerson = settings.output === 'table' && runtime.terminal.stdout.isTerminal && !settings.fields;
  // Empty columns would make the table too wide for a terminal.
  const hasValue = (key: string) => records.some((record) => record[key as keyof typeof record] !== null);
  const columns = isForPerson ? context.columns.filter(({ key }) => hasValue(key)) : context.columns;
  const fields = columns.map(({ key }) => key);
  const serve = { words: ['serve', ...databaseFlag] };
  return {
    kind: 'records',
    columns,
    records: records.map((record) => pickFields(record, fields)),
    emptyMessage: ['No API keys found. The next start of ', serve, ' creates one.'],
  } satisfies CommandResult;
}

/** Changes the limits, the label or the expiry of an API key. */
export async function update(context: AppContext, name: string, flags: DetailFlags): Promise<void> {
  const { plan, perMinute, perDay, label, expires } = flags;
  checkExpiry(flags, context.clock.now());
  const changesLimits = plan !== undefined || perMinute !== undefined || perDay !== undefined;
  if (!changesLimits && label === undefined && expires === undefined) {
    const hint = 'pass at least one of --plan, --per-minute, --per-day, --label and --expires';
    throw usageError('missing_input', 'there is nothing to change', hint);
  }
  const { database, key, listHint } = await openKey(context, name, flags);
  const limits = changesLimits ? overrideLimits(plan ? plans[plan] : key.limits, flags) : undefined;
  if (!(await apiKeys.updateApiKey(database, key, { limits, label, expiresAt: expires }))) {
    throw label === undefined ? keyChanged(key, listHint) : labelInUse(label);
  }
  context.terminal.success(`Updated API key ${describeKey({ ...key, label: label ?? key.label })}`);
}

/** Replaces an API key with a new one, which takes over its limits, label, expiry, quota and ban. */
export async function rotate(
  context: AppContext,
  name: string,
  { overlap = dayMs, ...flags }: DatabaseOptions & { readonly overlap?: number },
): Promise<CommandResult> {
  checkKeyIsPrinted(context);
  const { database, displayName, generateKey, key: old, listHint } = await openKey(context, name, flags);
  const key = generateKey().reveal();
  const now = context.clock.now();
  const expiresAt = await apiKeys.rotateApiKey(database, old, { key, overlapMs: overlap, now });
  if (expiresAt === undefined) throw keyChanged(old, listHint);
  const end = formatRelativeTime(new Date(expiresAt).toISOString(), now);
  context.terminal.success(`Rotated API key ${describeKey(old)}; the old one expires ${end}`);
  return newKeyResult(context, key, { ...old, prefix: apiKeys.prefixOf(key) }, displayName);
}

/** Revokes an API key after a confirmation. */
export async function revoke(context: AppContext, name: string, flags: DatabaseOptions): Promise<void> {
  const { prompts, success } = context.terminal;
  const { database, key } = await openKey(context, name, flags);
  const description = describeKey(key);
  await prompts.confirm({
    message: `Revoke API key ${description}? Clients that use this API key lose access.`,
    problem: `revoking API key ${description} needs confirmation`,
    default: false,
  });
  await apiKeys.revokeApiKey(database, key);
  success(`Revoked API key ${description}`);
}

/** Opens the database of a server and finds the only key with this prefix or label. */
async function openKey(context: AppContext, name: string, flags: DatabaseOptions) {
  const opened = await context.serverDatabase({ ...flags, create: false });
  const { database, databaseFlag } = opened;
  const words = ['serve', 'keys', 'list', ...databaseFlag];
  const listHint = ['run ', { words }, ' to see the first characters and the label of each API key'];
  if (keyPattern.test(name) || (await apiKeys.findApiKey(database, name))) {
    const message = 'the argument is a full API key, which is now visible to other users and in the shell history';
    throw usageError('unknown_key', message, listHint);
  }
  const start = name.replace(/…$/, '');
  const matches = (await apiKeys.listApiKeys(database, context.clock.now())).filter(
    ({ prefix, label }) => label === name || (start !== '' && prefix.startsWith(start)),
  );
  const [key] = matches;
  if (key && matches.length === 1) return { ...opened, key, listHint };
  // The name may be a secret.
  const count = matches.length === 0 ? 'no API key has' : `${matches.length} API keys have`;
  throw usageError('unknown_key', `${count} this label or start${key ? '' : 's'} with these characters`, listHint);
}

/** Throws a usage error if `--fields` hides the API key, which is printed only once. */
function checkKeyIsPrinted({ settings: { fields } }: AppContext): void {
  if (!fields || fields.includes('apiKey')) return;
  const message = '--fields must include apiKey, because the API key is printed only once';
  throw usageError('invalid_flag', message, 'add apiKey to --fields');
}

function checkExpiry({ expires }: DetailFlags, now: number): void {
  if (typeof expires !== 'number' || expires > now) return;
  const message = `--expires must be in the future; the API key would have expired at ${toTime(expires)}`;
  const hint = 'pass a later date or time, or run petstore serve keys revoke to delete an API key';
  throw usageError('invalid_flag', message, hint);
}

function newKeyResult(
  { columns, settings, terminal }: AppContext,
  apiKey: string,
  key: apiKeys.ApiKeyRecord,
  database: string,
): CommandResult {
  if (settings.output === 'table') terminal.notice('Copy this API key now; it is not shown again.');
  return { kind: 'record', columns, record: { apiKey, ...toRecord(key), database } };
}

/** Returns the fields of an API key that `create`, `rotate` and `list` print. */
function toRecord({ prefix, limits, label, expiresAt }: apiKeys.ApiKeyRecord) {
  const plan = findPlanByLimits(limits);
  return { keyPrefix: `${prefix}…`, plan, ...limits, label: label ?? null, expiresAt: toTime(expiresAt) };
}

function toTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

/** Returns how messages name a key. */
function describeKey({ prefix, label }: apiKeys.ApiKeyRecord): string {
  return label === undefined ? `${prefix}…` : `${prefix}… (${label})`;
}

function labelInUse(label = ''): Failure {
  const hint = 'pass another --label, or revoke that API key first';
  return usageError('label_in_use', `another API key has the label ${label} already`, hint);
}

function keyChanged(key: apiKeys.ApiKeyRecord, hint: Hint): Failure {
  return usageError('key_changed', `the API key ${describeKey(key)} has expired, or was replaced or revoked`, hint);
}
