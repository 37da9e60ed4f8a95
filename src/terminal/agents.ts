import type { Environment } from '../config/environment.js';

/** Variables that AI agents set for the commands that they run. Any value but an empty one counts. */
export const agentVariables: readonly string[] = [
  'AI_AGENT',
  'AUGMENT_AGENT',
  'CLAUDECODE',
  'CLAUDE_CODE',
  'CODEX_SANDBOX',
  'CODEX_THREAD_ID',
  'COPILOT_AGENT',
  'COPILOT_CLI',
  'CURSOR_AGENT',
  'GEMINI_CLI',
  'JUNIE_DATA',
  'JUNIE_SHIM_PATH',
  'OPENCODE',
];

/** Variables that other programs set, too, and the value that only an agent sets. */
export const agentPatterns: Readonly<Record<string, RegExp>> = {
  EDITOR: /devin/,
  PATH: /\.pi[\\/]agent/,
};

/**
 * Returns whether an AI agent runs the command. The lists are those of the package std-env, without the variables that
 * people set for themselves (`GOOSE_PROVIDER`, `REPL_ID`).
 */
export function isAgent(env: Environment, { hasTerminal }: { readonly hasTerminal: boolean }): boolean {
  return (
    agentVariables.some((name) => env[name]) ||
    Object.entries(agentPatterns).some(([name, pattern]) => pattern.test(env[name] ?? '')) ||
    // Kiro is also an editor, whose terminal people use.
    (!hasTerminal && /kiro/.test(env.TERM_PROGRAM ?? ''))
  );
}
