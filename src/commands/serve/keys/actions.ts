import { findPlanByLimits, overrideLimits, plans } from '../../../api/plan.js';
import type { AppContext } from '../../../app/context.js';
import type { DatabaseOptions } from '../../../app/database.js';
import { type CommandResult, pickFields } from '../../../cli/command-result.js';
import { Failure, usageError } from '../../../failure.js';
import { formatRelativeTime } from '../../../format/duration.js';
import * as apiKeys from '../../../server/api-keys.js';
import { mayContainPassword, parsePostgresUrl } from '../../../server/postgres-url.js';
import type { ServeFlags } from '../../../server/server-options.js';
import type { Database } from '../../../server/sql.js';
import { checkLabel, keyPattern, parseExpiry, parseOverlap } from './flag-values.js';

type DetailFlags = DatabaseOptions &
  Pick<ServeFlags, 'plan' | 'perMinute' | 'perDay'> & { readonly label?: string; readonly expires?: string };

/** Creates an API key and returns it. The database stores a digest only, so it cannot be shown again. */
export async function create(context: AppContext, flags: DetailFlags): Promise<CommandResult> {
  checkKeyIsPrinted(context);
  const { label, expires } = flags;
  checkLabel(label);
  const now = context.clock.now();
  const expiresAt = expires === undefined ? undefined : parseExpiry(expires, now);
  const limits = overrideLimits(plans[flags.plan ?? 'free'], flags);
  const details = { plan: flags.plan ?? findPlanByLimits(limits), limits, label, expiresAt };
  const { database, displayName, generateKey } = await context.serverDatabase({ ...flags, create: true });
  const key = generateKey();
  if (!(await apiKeys.createApiKey(database, key.reveal(), details, now))) throw await labelInUse(database, label, now);
  return newKeyResult(context, key.reveal(), details, displayName);
}

/** Returns every API key of the server, the oldest first. */
export async function list(context: AppContext, flags: DatabaseOptions): Promise<CommandResult> {
  const { database } = await context.serverDatabase({ ...flags, create: false });
  const records = (await apiKeys.listApiKeys(database, context.clock.now())).map((key) => ({
    ...toRecord(key.prefix, key),
    minuteLeft: key.minute.remaining,
    dayLeft: key.day.remaining,
    bannedUntil: toTime(key.bannedUntil),
    createdAt: toTime(key.createdAt),
    successor: key.successor === undefined ? null : `${key.successor}…`,
  }));
  const { columns, settings, runtime } = context;
  const isForPerson = settings.output === 'table' && runtime.terminal.stdout.isTerminal && !settings.fields;
  // Columns that are mostly empty would make the table too wide for a terminal.
  const hasValue = (key: string) => records.some((record) => record[key as keyof typeof record] !== null);
  const shown = isForPerson ? columns.filter(({ key }) => hasValue(key)) : columns;
  const fields = shown.map(({ key }) => key);
  const serve = { words: ['serve', ...databaseFlag(flags)] };
  return {
    kind: 'records',
    columns: shown,
    records: records.map((record) => pickFields(record, fields)),
    emptyMessage: ['No API keys found. The next start of ', serve, ' creates one.'],
  };
}

/** Changes the limits, the label or the expiry of an API key. */
export async function update(context: AppContext, name: string, flags: DetailFlags): Promise<void> {
  const { expires, label, plan, perMinute, perDay } = flags;
  checkLabel(label);
  const now = context.clock.now();
  const expiresAt = expires === undefined ? undefined : (parseExpiry(expires, now) ?? 'never');
  const changesLimits = plan !== undefined || perMinute !== undefined || perDay !== undefined;
  if (!changesLimits && label === undefined && expires === undefined) {
    const hint = 'pass at least one of --plan, --per-minute, --per-day, --label and --expires';
    throw usageError('missing_input', 'there is nothing to change', hint);
  }
  const { database, key } = await openKey(context, name, flags);
  const limits = changesLimits ? overrideLimits(plan ? plans[plan] : key.limits, flags) : undefined;
  if (!(await apiKeys.updateApiKey(database, key, { limits, plan, label, expiresAt }))) {
    throw await labelInUse(database, label, now);
  }
  context.terminal.success(`Updated API key ${describeKey({ ...key, label: label ?? key.label })}`);
}

/** Replaces an API key with a new one, which takes over its limits, label, expiry, quota and ban. */
export async function rotate(
  context: AppContext,
  name: string,
  { overlap = '24h', ...flags }: DatabaseOptions & { readonly overlap?: string },
): Promise<CommandResult> {
  checkKeyIsPrinted(context);
  const overlapMs = parseOverlap(overlap);
  const now = context.clock.now();
  const { database, displayName, generateKey, key: old } = await openKey(context, name, flags);
  checkCanRotate(old, now, flags);
  const key = generateKey();
  const expiresAt = await apiKeys.rotateApiKey(database, old, { key: key.reveal(), overlapMs, now });
  if (expiresAt === undefined) throw changedMeanwhile();
  const end = formatRelativeTime(new Date(expiresAt).toISOString(), now);
  context.terminal.success(`Rotated API key ${describeKey(old)}; the old one expires ${end}`);
  return newKeyResult(context, key.reveal(), old, displayName);
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
  const listKeys = { words: ['serve', 'keys', 'list', ...databaseFlag(flags)] };
  const hint = ['run ', listKeys, ' to see the first characters and the label of each API key'];
  const fullKey = 'the argument is a full API key, which is now visible to other users and in the shell history';
  if (keyPattern.test(name)) throw usageError('unknown_key', fullKey, hint);
  const opened = await context.serverDatabase({ ...flags, create: false });
  const { database } = opened;
  if (await apiKeys.findApiKey(database, name)) throw usageError('unknown_key', fullKey, hint);
  const start = name.replace(/…$/, '');
  const matches = (await apiKeys.listApiKeys(database, context.clock.now())).filter(
    ({ prefix, label }) => label === name || (start !== '' && prefix.startsWith(start)),
  );
  const [key] = matches;
  if (key && matches.length === 1) return { ...opened, key };
  // The name may be a secret.
  const count = matches.length === 0 ? 'no API key has' : `${matches.length} API keys have`;
  throw usageError('unknown_key', `${count} this label or start${key ? '' : 's'} with these characters`, hint);
}

function checkCanRotate(key: apiKeys.ApiKeyStatus, now: number, flags: DatabaseOptions): void {
  const problem = key.successor !== undefined ? `was replaced by ${key.successor}…` : 'has expired';
  if (key.successor === undefined && !apiKeys.isExpired(key, now)) return;
  const listKeys = { words: ['serve', 'keys', 'list', ...databaseFlag(flags)] };
  const hint = ['run ', listKeys, ' to find the newer API key, or create another one'];
  throw usageError('key_changed', `the API key ${describeKey(key)} ${problem}`, hint);
}

/** Throws a usage error if `--fields` hides the API key, which is printed only once. */
function checkKeyIsPrinted({ settings: { fields } }: AppContext): void {
  if (!fields || fields.includes('apiKey')) return;
  const message = '--fields must include apiKey, because the API key is printed only once';
  throw usageError('invalid_flag', message, 'add apiKey to --fields');
}

function newKeyResult(
  { columns, settings, terminal }: AppContext,
  apiKey: string,
  details: apiKeys.ApiKeyDetails,
  database: string,
): CommandResult {
  if (settings.output === 'table') terminal.notice('Copy this API key now; it is not shown again.');
  const record = { apiKey, ...toRecord(apiKeys.prefixOf(apiKey), details), database };
  return { kind: 'record', columns, record };
}

/** Returns the fields of an API key that `create`, `rotate` and `list` print. */
function toRecord(prefix: string, { plan, limits, label, expiresAt }: apiKeys.ApiKeyDetails) {
  return { keyPrefix: `${prefix}…`, plan, ...limits, label: label ?? null, expiresAt: toTime(expiresAt) };
}

function toTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

/** Returns how messages name a key. */
function describeKey({ prefix, label }: Pick<apiKeys.ApiKeyStatus, 'prefix' | 'label'>): string {
  return label === undefined ? `${prefix}…` : `${prefix}… (${label})`;
}

/** Returns the flag that selects the same database in another command. It has no password. */
export function databaseFlag({ database }: DatabaseOptions): readonly string[] {
  if (database === undefined) return [];
  const location = mayContainPassword(database) ? parsePostgresUrl(database)?.displayUrl : database;
  return location === undefined ? [] : ['--database', location];
}

/** Returns why a key was not saved: another one has its label, or another process changed it. */
async function labelInUse(database: Database, label: string | undefined, now: number): Promise<Failure> {
  const other = (await apiKeys.listApiKeys(database, now)).find((key) => label !== undefined && key.label === label);
  if (!other) return changedMeanwhile();
  const message = `the API key ${other.prefix}… has the label ${label} already`;
  return usageError('label_in_use', message, 'pass another --label, or revoke that API key first');
}

function changedMeanwhile(): Failure {
  return new Failure('system', {
    code: 'key_changed',
    message: 'another process changed the API keys at the same time, so nothing was changed',
    hint: 'retry',
  });
}
