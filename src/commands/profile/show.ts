import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult, OutputRecord } from '../../cli/command-result.js';
import { type Profile, sandboxProfileName } from '../../config/profile.js';
import { catchFailure, type Failure } from '../../failure.js';
import { singleBatch } from '../records.js';

export const columns: readonly Column[] = [
  { key: 'name' },
  { key: 'current' },
  { key: 'baseUrl', canShrink: true },
  { key: 'output' },
  { key: 'key' },
];

/** Returns every profile, the built-in ones first. */
export async function list(context: AppContext): Promise<CommandResult> {
  let problem: Failure | undefined;
  const records = context.config.profiles.list().map((profile) =>
    toRecord(profile, context, (failure) => {
      problem = failure;
    }),
  );
  if (problem) context.terminal.warn([problem.details.message, problem.details.hint].filter(Boolean).join('; '));
  return { kind: 'records', columns, batches: singleBatch(records), emptyMessage: 'No profiles.' };
}

/** Returns the named profile, otherwise the current one. */
export async function show(context: AppContext, name = context.settings.profile): Promise<CommandResult> {
  return { kind: 'record', columns, record: toRecord(context.config.profiles.get(name), context) };
}

function toRecord(
  { name, baseUrl, output }: Profile,
  { settings, config: { credentials } }: AppContext,
  onUnreadableKeys: (failure: Failure) => void = throwFailure,
): OutputRecord {
  const stored =
    name === sandboxProfileName ? undefined : catchFailure(() => credentials.getInfo(name), onUnreadableKeys);
  const key = stored?.storage === 'keyring' ? 'in the system keyring' : (stored?.key?.mask() ?? null);
  return {
    name,
    current: name === settings.profile,
    baseUrl: baseUrl ?? null,
    output: output ?? null,
    key,
  };
}

function throwFailure(failure: Failure): never {
  throw failure;
}
