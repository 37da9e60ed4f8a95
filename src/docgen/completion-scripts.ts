/** The script for bash, from 3.2 on; it needs nothing but bash. */
const bash = `# petstore completion for bash: source this file, or see petstore help completion
_petstore() {
  local IFS=$' \\t\\n' line=\${COMP_LINE:0:COMP_POINT} words=() current='' piece='' gap='' kept=''
  local answer='' directive='' value='' description=''
  COMPREPLY=()
  # Joins the pieces of words that COMP_WORDBREAKS split.
  for piece in "\${COMP_WORDS[@]}"; do
    gap=\${line%%[!$' \\t\\n']*}
    line=\${line:\${#gap}}
    if [[ -n $gap && -n $current ]]; then
      words+=("$current")
      current=''
    fi
    current+=\${piece:0:\${#line}}
    line=\${line:\${#piece}}
  done
  words+=("$current")
  words=("\${words[@]//[\\"\\'\\\\]/}")
  # Readline replaces $2, which begins after the last of COMP_WORDBREAKS.
  if [[ $current == *"$2" ]]; then kept=\${current%"$2"}; fi
  answer=$(command petstore __complete -- "\${words[@]:1}" 2>/dev/null </dev/null) || return 0
  directive=\${answer##*$'\\n'}
  case $directive in
    :files)
      # Some versions of bash would run a substitution.
      case $current in *'\`'* | *'$('* | *'\${'* | *'$['*) return 0 ;; esac
      # Readline itself completes files best; bash 3.2 has no compopt.
      value=''
      if [[ $current == --*=* ]]; then value=\${current%%=*}=; fi
      if [[ -z $value || $value == "$kept" ]] && builtin compopt -o default 2>/dev/null; then return 0; fi
      answer=$(compgen -P "$value" -f -- "\${words[\${#words[@]} - 1]#"$value"}") || return 0
      ;;
    :no-space) builtin compopt -o nospace 2>/dev/null || : ;;
    :done) ;;
    *) return 0 ;;
  esac
  while IFS=$'\\t' read -r value description; do
    if [[ -z $value ]]; then continue; fi
    value=\${value#"\${kept//[\\"\\'\\\\]/}"}
    if [[ $kept != *[\\"\\']* && $value == *[!A-Za-z0-9_.,:=/@%+-]* ]]; then
      printf -v value %q "$value"
    elif [[ $kept == *[\\"\\']* && $value == *[\\"\\'\\\`\\$\\\\!]* ]]; then
      continue
    fi
    # Descriptions are only for a list, which inserts nothing.
    if [[ \${COMP_TYPE-} == 63 && -n $description ]]; then
      printf -v value '%-20s  %s' "$value" "$description"
      if ((\${#value} >= \${COLUMNS:-80})); then value=\${value:0:\${COLUMNS:-80} - 2}…; fi
    fi
    COMPREPLY+=("$value")
  done <<<"\${answer%"$directive"}"
}

complete -F _petstore petstore
`;

/** The script for zsh, sourced or found in $fpath. */
const zsh = `#compdef petstore
# petstore completion for zsh: put this file into $fpath, or see petstore help completion
_petstore() {
  local answer directive line
  local -a lines described
  answer=$(command petstore __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null) || return 1
  lines=("\${(@f)answer}")
  directive=$lines[-1]
  case $directive in
    (:files)
      # _files would run a substitution in the word; parameters are safe.
      [[ \${PREFIX//\\$[A-Za-z_][A-Za-z0-9_]#/} == *[\\\\\\\`\\$]* ]] && return 1
      compset -P '--[^=]#='
      _files
      ;;
    (:done|:no-space)
      for line in "\${(@)lines[1,-2]}"; do
        described+=("\${\${\${line%%$'\\t'*}//\\\\/\\\\\\\\}//:/\\\\:}\${\${(M)line%%$'\\t'*}/$'\\t'/:}")
      done
      line=
      [[ $directive == :no-space ]] && line=-S
      _describe -t values petstore described \${line:+$line ''}
      ;;
    (*) return 1 ;;
  esac
}

# From $fpath the file is the body of the function; a sourced file registers it.
if [[ $funcstack[1] == _petstore ]]; then
  _petstore "$@"
else
  compdef _petstore petstore
fi
`;

/** The script for fish. */
const fish = `# petstore completion for fish: source this file, or see petstore help completion
# Sets the candidates; fails if fish should complete a file.
function __petstore_complete
    set -g __petstore_candidates
    command --query petstore; or return 0
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    while string match -q -- '*=*' "$words[1]"
        set -e words[1]
    end
    set -l current (commandline --current-token --cut-at-cursor)
    set current (string unescape -- $current; or string trim --left --chars '"\\'' -- $current)
    set __petstore_candidates (command petstore __complete -- $words[2..-1] "$current" 2>/dev/null </dev/null)
    set -l directive "$__petstore_candidates[-1]"
    set -e __petstore_candidates[-1]
    contains -- "$directive" :done :no-space; or set __petstore_candidates
    test "$directive" != :files
end

complete -c petstore -n __petstore_complete -f -a '$__petstore_candidates'
`;

/** The script for PowerShell, from 5.1 on. */
const powershell = `# petstore completion for PowerShell: see petstore help completion
Register-ArgumentCompleter -Native -CommandName petstore -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @()
    foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
        if ($element.Extent.EndOffset -ge $cursorPosition) { break }
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $words += $element.Value
        } else {
            $words += $element.Extent.Text
        }
    }
    $current = ([string]$wordToComplete) -replace '^[''"]', ''
    $words += $current

    # In base64 no version of PowerShell or of cmd changes the words.
    $text = -join ($words | ForEach-Object { "\`0" + $_ })
    $base64 = [Convert]::ToBase64String([System.Text.Encoding]::UTF8.GetBytes($text))
    try { $lines = @(petstore __complete --base64 $base64 2>$null) } catch { $lines = @() }
    $directive = [string]($lines | Select-Object -Last 1)

    # Without a result PowerShell completes a file.
    if ($directive -ceq ':files' -and $current -cnotmatch '^--[^=]+=') { return }
    if ($directive -ceq ':files') {
        $prefix = $current -creplace '=.*', '='
        foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($current.Substring($prefix.Length))) {
            [System.Management.Automation.CompletionResult]::new(
                $prefix + $file.CompletionText, $file.ListItemText, $file.ResultType, $file.ToolTip)
        }
        return
    }

    # An empty result keeps PowerShell from completing a file.
    if ($lines.Count -lt 2) { return '' }
    foreach ($line in ($lines | Select-Object -SkipLast 1)) {
        $value, $description = $line -split "\`t", 2
        if (-not $description) { $description = $value }
        $quoted = $value
        if ($value -cnotmatch '^[\\w./:=+-]+$') { $quoted = "'" + ($value -replace "['\\u2018-\\u201b]", '$0$0') + "'" }
        [System.Management.Automation.CompletionResult]::new($quoted, $value, 'ParameterValue', $description)
    }
}
`;

/** Ask `petstore __complete`, whose format commands/complete/index.ts describes. Nothing typed is evaluated. */
export const completionScripts = { bash, zsh, fish, powershell };
