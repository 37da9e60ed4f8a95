import type { AppContext } from '../../app/context.js';
import type { CommandResult, OutputRecord } from '../../cli/command-result.js';
import { findReadOnlySource } from '../../config/environment.js';
import { describeBaseUrl, listProfiles, type Profile } from '../../config/profile.js';
import { catchFailure, type Failure } from '../../failure.js';
import { formatProblem } from '../../format/hint.js';
import { warnOfProblems } from '../config-warnings.js';

/** Returns every profile, the built-in ones first. */
export async function list(context: AppContext): Promise<CommandResult> {
  warnOfProblems(context);
  const { config, terminal } = context;
  const problems: Failure[] = [];
  const profiles = config.isUnreadable ? listProfiles({}) : config.profiles.list();
  const records = profiles.map((profile) => toRecord(profile, context, (failure) => problems.push(failure)));
  // Without a profile that is read-only, the column would only make the table too wide for a base URL.
  const hasReadOnly = context.settings.fields || records.some(({ readOnly }) => readOnly);
  const [problem] = problems;
  if (problem) terminal.warn(formatProblem(problem));
  return {
    kind: 'records',
    columns: hasReadOnly ? context.columns : context.columns.filter(({ key }) => key !== 'readOnly'),
    records,
    emptyMessage: 'No profiles.',
  };
}

function toRecord(
  profile: Profile,
  { settings, runtime: { env }, config: { credentials, isUnreadable } }: AppContext,
  onUnreadableKeys: (failure: Failure) => void,
): OutputRecord {
  const { name, baseUrl, output } = profile;
  const stored = catchFailure(() => credentials.getInfo(name), onUnreadableKeys);
  const key = stored?.key?.mask() ?? (stored ? `in the ${stored.storage}` : null);
  return {
    name,
    current: name === settings.profile && !isUnreadable,
    baseUrl: describeBaseUrl(name, baseUrl),
    output: output ?? null,
    key,
    readOnly: findReadOnlySource(profile, env) !== undefined,
  };
}
