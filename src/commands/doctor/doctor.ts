import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { Failure, usageError } from '../../failure.js';
import { inOneBatch } from '../records.js';
import { type Check, checkService } from './service.js';

export const columns: readonly Column[] = [
  { key: 'check' },
  { key: 'status' },
  { key: 'detail', canShrink: true },
  { key: 'advice', canShrink: true },
];

export interface DoctorOptions {
  readonly contract?: true;
  readonly write?: true;
}

/** Every check in turn; a failed one does not keep the others from being made. */
export async function doctor(context: AppContext, options: DoctorOptions): Promise<CommandResult> {
  if (options.contract) return (await import('./contract/contract.js')).contract(context, options);
  if (options.write) throw usageError('invalid_flag', '--write goes with --contract alone');
  context.terminal.checkFields(columns);
  const checks = [
    ...(await checkMachine(context)),
    ...checkConfiguration(context),
    ...(await checkLedger(context)),
    ...(await checkAccount(context)),
  ];
  const failed = checks.filter(({ status }) => status === 'failed');
  return {
    kind: 'records',
    columns,
    batches: inOneBatch(
      checks.map(({ detail, ...check }) => ({
        ...check,
        ...(detail !== undefined && { detail: context.terminal.redact(detail) }),
      })),
    ),
    emptyMessage: '',
    ...(failed.length > 0 && { failure: failure(failed) }),
  };
}

async function checkMachine({ machine }: AppContext): Promise<readonly Check[]> {
  const { nodeVersion, sqlite, exposed } = await machine();
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isOld = major < 20 || (major === 20 && minor < 19);
  return [
    isOld
      ? {
          check: 'node',
          status: 'failed',
          detail: nodeVersion,
          advice: 'use Node.js 20.19 or later',
        }
      : { check: 'node', status: 'ok', detail: nodeVersion },
    sqlite.works
      ? { check: 'sqlite', status: 'ok' }
      : {
          check: 'sqlite',
          status: 'warning',
          detail: sqlite.reason ?? 'missing',
          advice: 'the sandbox and serve need it; real stores do not',
        },
    ...(exposed.length === 0
      ? [{ check: 'files', status: 'ok' } as const]
      : exposed.map(
          ({ path, why }): Check => ({
            check: 'files',
            status: 'warning',
            detail: `${path} ${why}`,
            advice: `chmod go= ${path}`,
          }),
        )),
  ];
}

function checkConfiguration({ config: { problems, store } }: AppContext): readonly Check[] {
  if (problems.length === 0) return [{ check: 'configuration', status: 'ok', detail: store.path }];
  return problems.map(({ details }) => ({
    check: 'configuration',
    status: 'failed',
    detail: details.message,
    ...(details.hint !== undefined && { advice: details.hint }),
  }));
}

/** Whether the Redis that machines share the quota through answers; petstore works without. */
async function checkLedger({ quota: { ledgerState } }: AppContext): Promise<readonly Check[]> {
  const state = await ledgerState();
  if (!state) return [];
  const { endpoint: place, responseMs: answeredIn, problem } = state;
  if (problem === undefined) {
    return [{ check: 'ledger', status: 'ok', detail: `${place} answers in ${answeredIn} ms` }];
  }
  return [
    {
      check: 'ledger',
      status: 'warning',
      detail: `${place} ${problem}`,
      advice: 'until it answers, this machine counts the quota alone',
    },
  ];
}

async function checkAccount(context: AppContext): Promise<readonly Check[]> {
  try {
    const { profile, key, keySource, problem } = await context.config.account();
    const chosen: Check = { check: 'profile', status: 'ok', detail: profile };
    if (problem) return [chosen, failedBy('account', problem)];
    const source = [key?.masked(), keySource].filter(Boolean).join(' from ');
    return [
      chosen,
      { check: 'key', status: 'ok', detail: source },
      ...(await checkService(context)),
    ];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [failedBy('profile', error)];
  }
}

function failedBy(check: string, { details }: Failure): Check {
  return {
    check,
    status: 'failed',
    detail: details.message,
    ...(details.hint !== undefined && { advice: details.hint }),
  };
}

function failure(failed: readonly Check[]): Failure {
  const names = [...new Set(failed.map(({ check }) => check))].join(', ');
  return new Failure('system', {
    code: 'check_failed',
    message: `${failed.length === 1 ? 'a check' : `${failed.length} checks`} failed: ${names}`,
  });
}
