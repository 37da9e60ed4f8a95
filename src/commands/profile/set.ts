import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { sandboxProfileName } from '../../config/profile.js';
import { usageError } from '../../failure.js';

/** Keeps the values of `--base-url` and `--output` given with it. */
export async function set(context: AppContext, name: string): Promise<CommandResult> {
  const { baseUrl, output } = context.flags;
  if (baseUrl === undefined && output === undefined) {
    throw usageError('missing_flag', 'pass what the profile shall keep: --base-url or --output');
  }
  if (name === sandboxProfileName && baseUrl !== undefined) {
    throw usageError('embedded_profile', 'the sandbox is embedded and has no base URL');
  }
  const parsed = baseUrl === undefined ? undefined : context.config.parseBaseUrl(baseUrl);
  for (const text of parsed?.warnings ?? []) context.terminal.warn(text);
  await context.config.profiles.set(name, {
    ...(baseUrl && { baseUrl }),
    ...(output && { output }),
  });
  const stored = context.config.credentials.getInfo(name);
  if (parsed && stored && stored.origin !== parsed.origin) {
    context.terminal.warn(
      `the key of ${name} stays bound to ${stored.origin}; petstore auth login --profile ${name} stores another`,
    );
  }
  context.terminal.notice(`profile ${name} is set`);
  return { kind: 'nothing' };
}
