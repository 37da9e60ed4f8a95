# petstore completion for bash: source this file, or see petstore help completion
_petstore() {
  local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} words=() current='' piece='' gap='' kept=''
  local answer='' directive='' value='' description=''
  COMPREPLY=()
  # Joins the pieces of words that COMP_WORDBREAKS split.
  for piece in "${COMP_WORDS[@]}"; do
    gap=${line%%[!$' \t\n']*}
    line=${line:${#gap}}
    if [[ -n $gap && -n $current ]]; then
      words+=("$current")
      current=''
    fi
    current+=${piece:0:${#line}}
    line=${line:${#piece}}
  done
  words+=("$current")
  words=("${words[@]//[\"\'\\]/}")
  # Readline replaces $2, which begins after the last of COMP_WORDBREAKS.
  if [[ $current == *"$2" ]]; then kept=${current%"$2"}; fi
  answer=$(command petstore __complete -- "${words[@]:1}" 2>/dev/null </dev/null) || return 0
  directive=${answer##*$'\n'}
  case $directive in
    :files)
      # Some versions of bash would run a substitution.
      case $current in *'`'* | *'$('* | *'${'* | *'$['*) return 0 ;; esac
      # Readline itself completes files best; bash 3.2 has no compopt.
      value=''
      if [[ $current == --*=* ]]; then value=${current%%=*}=; fi
      if [[ -z $value || $value == "$kept" ]] && builtin compopt -o default 2>/dev/null; then return 0; fi
      answer=$(compgen -P "$value" -f -- "${words[${#words[@]} - 1]#"$value"}") || return 0
      ;;
    :no-space) builtin compopt -o nospace 2>/dev/null || : ;;
    :done) ;;
    *) return 0 ;;
  esac
  while IFS=$'\t' read -r value description; do
    if [[ -z $value ]]; then continue; fi
    value=${value#"${kept//[\"\'\\]/}"}
    if [[ $kept != *[\"\']* && $value == *[!A-Za-z0-9_.,:=/@%+-]* ]]; then
      printf -v value %q "$value"
    elif [[ $kept == *[\"\']* && $value == *[\"\'\`\$\\!]* ]]; then
      continue
    fi
    # Descriptions are only for a list, which inserts nothing.
    if [[ ${COMP_TYPE-} == 63 && -n $description ]]; then
      printf -v value '%-20s  %s' "$value" "$description"
      if ((${#value} >= ${COLUMNS:-80})); then value=${value:0:${COLUMNS:-80} - 2}…; fi
    fi
    COMPREPLY+=("$value")
  done <<<"${answer%"$directive"}"
}

complete -F _petstore petstore
