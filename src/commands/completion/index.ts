import { textAction } from '../../app/action.js';
import { addExamples, defineCommand } from '../../cli/command-spec.js';
import { choice } from '../../cli/flags.js';

/** The scripts ask `petstore __complete`, whose format commands/complete/index.ts describes. Nothing typed is evaluated. */
const scripts = {
  bash: () => import('../../../completions/petstore.bash'),
  zsh: () => import('../../../completions/_petstore'),
  fish: () => import('../../../completions/petstore.fish'),
  powershell: () => import('../../../completions/petstore.ps1'),
};

type Shell = keyof typeof scripts;

const shells = Object.keys(scripts) as readonly Shell[];

export const completion = defineCommand('completion', 'Print a shell completion script.', (command) => {
  command
    .argument('<shell>', shells.join(', '), choice('the shell', shells))
    .action(textAction(async (_runtime, _program, shell: Shell) => (await scripts[shell]()).default));
  addExamples(command, [
    ['petstore completion bash > petstore.bash', 'Save the completion script for bash'],
    ['autoload -Uz compinit; compinit; eval "$(petstore completion zsh)"', 'Enable completion in this zsh session'],
  ]);
});
