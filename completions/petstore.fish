# petstore completion for fish: source this file, or see petstore help completion
# Sets the candidates; fails if fish should complete a file.
function __petstore_complete
    set -g __petstore_candidates
    command --query petstore; or return 0
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    while string match -q -- '*=*' "$words[1]"
        set -e words[1]
    end
    set -l current (commandline --current-token --cut-at-cursor)
    set current (string unescape -- $current; or string trim --left --chars '"\'' -- $current)
    set __petstore_candidates (command petstore __complete -- $words[2..-1] "$current" 2>/dev/null </dev/null)
    set -l directive "$__petstore_candidates[-1]"
    set -e __petstore_candidates[-1]
    contains -- "$directive" :done :no-space; or set __petstore_candidates
    test "$directive" != :files
end

complete -c petstore -n __petstore_complete -f -a '$__petstore_candidates'
