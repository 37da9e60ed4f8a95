import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { Failure, usageError } from '../../failure.js';
import { singleBatch } from '../records.js';
import { type Check, checkService, toCheck } from './service.js';

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
  return {
    kind: 'records',
    columns,
    batches: singleBatch(records),
    emptyMessage: '',
    ...(failure && { failure }),
  };
}

async function checkMachine({ machine }: AppContext): Promise<readonly Check[]> {
  const { nodeVersion, sqlite, exposed } = await machine();
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isSupported = major > 20 || (major === 20 && minor >= 19);
  const advice = 'the sandbox and serve need it; real stores do not';
  const files = exposed.map(
    ({ path, why }): Check => ({
      check: 'files',
      status: 'warning',
      detail: `${path} ${why}`,
      advice: `chmod go= ${path}`,
    }),
  );
  return [
    isSupported
      ? { check: 'node', status: 'ok', detail: nodeVersion }
      : {
          check: 'node',
          status: 'failed',
          detail: nodeVersion,
          advice: 'use Node.js 20.19 or later',
        },
    sqlite.works
      ? { check: 'sqlite', status: 'ok' }
      : { check: 'sqlite', status: 'warning', detail: sqlite.reason ?? 'missing', advice },
    ...(files.length > 0 ? files : [{ check: 'files', status: 'ok' } as const]),
  ];
}

function checkConfiguration({ config: { problems, store } }: AppContext): readonly Check[] {
  if (problems.length === 0) return [{ check: 'configuration', status: 'ok', detail: store.path }];
  return problems.map((problem) => toCheck('configuration', problem));
}

/** Checks the Redis of the shared ledger. Without it, petstore still works. */
async function checkLedger({ quota: { ledgerState } }: AppContext): Promise<readonly Check[]> {
  const health = await ledgerState();
  if (!health) return [];
  const { endpoint, responseMs, problem } = health;
  if (problem === undefined) {
    return [{ check: 'ledger', status: 'ok', detail: `${endpoint} answers in ${responseMs} ms` }];
  }
  const advice = 'until it answers, this machine counts the quota alone';
  return [{ check: 'ledger', status: 'warning', detail: `${endpoint} ${problem}`, advice }];
}

async function checkAccount(context: AppContext): Promise<readonly Check[]> {
  try {
    const { profile, key, keySource, problem } = await context.config.account();
    const selected: Check = { check: 'profile', status: 'ok', detail: profile };
    if (problem) return [selected, toCheck('account', problem)];
    const source = [key?.masked(), keySource].filter(Boolean).join(' from ');
    return [
      selected,
      { check: 'key', status: 'ok', detail: source },
      ...(await checkService(context)),
    ];
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
