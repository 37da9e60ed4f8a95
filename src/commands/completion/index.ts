import { textAction } from '../../app/action.js';
import { addExamples, addNotes, type CommandSpec } from '../../cli/command-spec.js';
import { choice } from '../../cli/flag-parsers.js';
import { declareAll } from '../../cli/program.js';
import { type Shell, shells } from './shells.js';

export const completion: CommandSpec = {
  name: 'completion',
  summary: 'Print the completion script of a shell.',
  declare: (command) => {
    command
      .argument('<shell>', shells.join(', '), choice('the shell', shells))
      .action(
        textAction(async (shell: Shell, program) =>
          (await import('./completion.js')).completionScript(shell, declareAll(program)),
        ),
      );
    addExamples(command, [
      ['petstore completion bash > petstore.bash', 'a script to source from ~/.bashrc'],
      [
        'autoload -Uz compinit; compinit; eval "$(petstore completion zsh)"',
        'for this session of zsh',
      ],
    ]);
    addNotes(
      command,
      'The script is plain data and a few functions: it answers without starting petstore, and evaluates nothing of what was typed. The names of your profiles are read from the configuration file.',
      'bash: `petstore completion bash > ~/.petstore.bash`, and `. ~/.petstore.bash` in `~/.bashrc`; bash-completion is not needed.',
      'zsh: write it as `_petstore` into a directory of `$fpath`, before `compinit` runs, or evaluate it after that.',
      'fish: `petstore completion fish > ~/.config/fish/completions/petstore.fish`.',
      'PowerShell: add `petstore completion powershell | Out-String | Invoke-Expression` to `$PROFILE`.',
    );
  },
};
