import type { Context } from '../../ports/context.js';
import { Failure } from '../../ports/failure.js';
import { sandbox } from '../../ports/settings.js';
import type { Shown } from '../../ports/view.js';

/** Keeps the values of `--base-url` and `--output` given with it. */
export async function set(context: Context, name: string): Promise<Shown> {
  const { baseUrl, output } = context.flags;
  if (baseUrl === undefined && output === undefined) {
    throw usage('missing_flag', 'pass what the profile shall keep: --base-url or --output');
  }
  if (name === sandbox && baseUrl !== undefined) {
    throw usage('embedded_profile', 'the sandbox is embedded and has no base URL');
  }
  const origin = baseUrl === undefined ? undefined : context.originOf(baseUrl);
  await context.profiles.set(name, { ...(baseUrl && { baseUrl }), ...(output && { output }) });
  const stored = context.credentials.find(name);
  if (origin !== undefined && stored && stored.origin !== origin) {
    context.warning(
      `the key of ${name} stays bound to ${stored.origin}; petstore auth login --profile ${name} stores another`,
    );
  }
  context.notice(`profile ${name} is set`);
  return { kind: 'nothing' };
}

function usage(code: string, message: string): Failure {
  return new Failure('usage', { code, message });
}
