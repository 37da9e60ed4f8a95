import { textAction } from '../../app/action.js';
import { addExamples, defineCommand } from '../../cli/command-spec.js';
import { choice } from '../../cli/flags.js';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export const completion = defineCommand('completion', 'Print a shell completion script.', (command) => {
  command
    .argument('<shell>', shells.join(', '), choice('the shell', shells))
    .action(
      textAction(
        async (_runtime, _program, shell: (typeof shells)[number]) =>
          (await import('../../docgen/completion-scripts.js')).completionScripts[shell],
      ),
    );
  addExamples(command, [
    ['petstore completion bash > petstore.bash', 'Save the completion script for bash'],
    ['autoload -Uz compinit; compinit; eval "$(petstore completion zsh)"', 'Enable completion in this zsh session'],
  ]);
});
