import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { Failure, usageError } from '../../failure.js';
import { singleBatch } from '../records.js';
import { type Check, checkService, ok, toCheck, warning } from './service.js';

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
  const files = exposed.map(({ path, why }) =>
    warning('files', `${path} ${why}`, `chmod go= ${path}`),
  );
  return [
    isSupported
      ? ok('node', nodeVersion)
      : { ...warning('node', nodeVersion, 'use Node.js 20.19 or later'), status: 'failed' },
    sqlite.works
      ? ok('sqlite')
      : warning(
          'sqlite',
          sqlite.reason ?? 'missing',
          'the sandbox and serve need it; real stores do not',
        ),
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
    const source = [key?.masked(), keySource].filter(Boolean).join(' from ');
    return [ok('profile', profile), ok('key', source), ...(await checkService(context))];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [toCheck('profile', error)];
  }
}

function checksFailure(checks: readonly Check[]): Failure | undefined {
  const failed = checks.filter(({ status }) => status === 'failed').map(({ check }) => check);
  if (failed.length === 0) return undefined;
  const count = failed.length === 1 ? 'a check' : `${failed.length} checks`;
  const message = `${count} failed: ${[...new Set(failed)].join(', ')}`;
  return new Failure('system', { code: 'check_failed', message });
}
