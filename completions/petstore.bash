# petstore completion for bash: source this file, or see petstore help completion
# What may stand after the words of $place.
_petstore_look_up() {
  commands='' flags='' slots=()
  case $place in
    '') commands='pets orders auth profile config quota api sandbox serve doctor completion help' ;;
    'pets') commands='list browse add get import export' ;;
    'pets list') flags='--status --limit --all --watch --curl' ;;
    'pets browse') : ;;
    'pets add') flags='--name --category-id --status --from --dry-run --curl' ;;
    'pets get') flags='--curl' slots=('@nothing') ;;
    'pets import') flags='--format --concurrency --journal --rejects --dry-run' slots=('@file') ;;
    'pets export') flags='--status --force --curl' slots=('@file') ;;
    'orders') commands='list' ;;
    'orders list') flags='--curl' ;;
    'auth') commands='login logout status token' ;;
    'auth login') flags='--with-key --keyring' ;;
    'auth logout') : ;;
    'auth status') flags='--check --curl' ;;
    'auth token') : ;;
    'profile') commands='list show use set remove' ;;
    'profile list') : ;;
    'profile show') slots=('@profile') ;;
    'profile use') slots=('@profile') ;;
    'profile set') slots=('@profile') ;;
    'profile remove') slots=('@profile') ;;
    'config') commands='list get set unset path' ;;
    'config list') flags='--sources' ;;
    'config get') slots=('profile output color timeout max-wait input quiet accessible pager ledger') ;;
    'config set') slots=('profile output color timeout max-wait input quiet accessible pager ledger' '@nothing') ;;
    'config unset') slots=('profile output color timeout max-wait input quiet accessible pager ledger') ;;
    'config path') : ;;
    'quota') flags='--refresh --curl' ;;
    'api') flags='-X -f -F -H --input -i --paginate --curl' slots=('@nothing') ;;
    'sandbox') commands='status plan reset' ;;
    'sandbox status') : ;;
    'sandbox plan') slots=('free pro business enterprise') ;;
    'sandbox reset') flags='--plan --empty' ;;
    'serve') commands='keys' flags='--port --host --allow-host --metrics --api-key-file --database --plan --per-minute --per-day --latency --fault --clock' ;;
    'serve keys') commands='create list revoke' ;;
    'serve keys create') flags='--plan --per-minute --per-day --label --database' ;;
    'serve keys list') flags='--database' ;;
    'serve keys revoke') flags='--database' slots=('@nothing') ;;
    'doctor') flags='--contract --write --curl' ;;
    'completion') slots=('bash zsh fish powershell') ;;
    'help') commands='pets orders auth profile config quota api sandbox serve doctor completion help exit-codes environment formats' ;;
    'help pets') commands='list browse add get import export' ;;
    'help pets list') : ;;
    'help pets browse') : ;;
    'help pets add') : ;;
    'help pets get') : ;;
    'help pets import') : ;;
    'help pets export') : ;;
    'help orders') commands='list' ;;
    'help orders list') : ;;
    'help auth') commands='login logout status token' ;;
    'help auth login') : ;;
    'help auth logout') : ;;
    'help auth status') : ;;
    'help auth token') : ;;
    'help profile') commands='list show use set remove' ;;
    'help profile list') : ;;
    'help profile show') : ;;
    'help profile use') : ;;
    'help profile set') : ;;
    'help profile remove') : ;;
    'help config') commands='list get set unset path' ;;
    'help config list') : ;;
    'help config get') : ;;
    'help config set') : ;;
    'help config unset') : ;;
    'help config path') : ;;
    'help quota') : ;;
    'help api') : ;;
    'help sandbox') commands='status plan reset' ;;
    'help sandbox status') : ;;
    'help sandbox plan') : ;;
    'help sandbox reset') : ;;
    'help serve') commands='keys' ;;
    'help serve keys') commands='create list revoke' ;;
    'help serve keys create') : ;;
    'help serve keys list') : ;;
    'help serve keys revoke') : ;;
    'help doctor') : ;;
    'help completion') : ;;
    'help help') : ;;
    'help exit-codes') : ;;
    'help environment') : ;;
    'help formats') : ;;
    *) return 1 ;;
  esac
  flags="$flags -p --profile --base-url -o --output --json --jq --fields --no-header --no-input -y --yes -q --quiet -v --verbose --debug --timeout --max-wait --color --no-color -V --version -h --help"
}

# What the value of flag $1 is; empty for a switch.
_petstore_value_of() {
  offer=''
  case "$place $1" in
    'pets list --status') offer='available pending sold' ;;
    'pets list --limit') offer='@nothing' ;;
    'pets add --name') offer='@nothing' ;;
    'pets add --category-id') offer='@nothing' ;;
    'pets add --status') offer='available pending sold' ;;
    'pets add --from') offer='@file' ;;
    'pets import --format') offer='csv json ndjson' ;;
    'pets import --concurrency') offer='@nothing' ;;
    'pets import --journal') offer='@file' ;;
    'pets import --rejects') offer='@file' ;;
    'pets export --status') offer='available pending sold' ;;
    'api -X') offer='GET HEAD POST PUT PATCH DELETE' ;;
    'api -f') offer='@nothing' ;;
    'api -F') offer='@nothing' ;;
    'api -H') offer='@nothing' ;;
    'api --input') offer='@file' ;;
    'sandbox reset --plan') offer='free pro business enterprise' ;;
    'serve --port') offer='@nothing' ;;
    'serve --host') offer='@nothing' ;;
    'serve --allow-host') offer='@nothing' ;;
    'serve --api-key-file') offer='@file' ;;
    'serve --database') offer='@file' ;;
    'serve --plan') offer='free pro business enterprise' ;;
    'serve --per-minute') offer='@nothing' ;;
    'serve --per-day') offer='@nothing' ;;
    'serve --latency') offer='@nothing' ;;
    'serve --fault') offer='@nothing' ;;
    'serve --clock') offer='@nothing' ;;
    'serve keys create --plan') offer='free pro business enterprise' ;;
    'serve keys create --per-minute') offer='@nothing' ;;
    'serve keys create --per-day') offer='@nothing' ;;
    'serve keys create --label') offer='@nothing' ;;
    'serve keys create --database') offer='@file' ;;
    'serve keys list --database') offer='@file' ;;
    'serve keys revoke --database') offer='@file' ;;
    *' -p' | *' --profile') offer='@profile' ;;
    *' --base-url') offer='@nothing' ;;
    *' -o' | *' --output') offer='table json ndjson yaml csv tsv' ;;
    *' --jq') offer='@nothing' ;;
    *' --fields') offer='@nothing' ;;
    *' --timeout') offer='@nothing' ;;
    *' --max-wait') offer='@nothing' ;;
    *' --color') offer='auto always never' ;;
  esac
}

_petstore() {
  local IFS=$' \t\n' patterns=-u globs=+f
  # Patterns here tell -f from -F, and none stands for files.
  if shopt -q nocasematch; then patterns=-s; fi
  if [[ $- == *f* ]]; then globs=-f; fi
  shopt -u nocasematch
  set -f
  _petstore_complete "${2-}"
  set $globs
  shopt $patterns nocasematch
}

_petstore_complete() {
  local words=() cur='' redirected='' place='' count=0 flag='' ended='' kept='' i=0
  local commands='' flags='' slots=() offer=''
  COMPREPLY=()
  _petstore_split
  _petstore_walk || return 0
  # Readline puts an answer in the place of $1, which begins after the last of COMP_WORDBREAKS.
  if [[ $cur == *"$1" ]]; then kept=${cur%"$1"}; fi
  kept=${kept//[\"\']/}
  cur=${cur//[\"\'\\]/}
  if [[ -n $redirected ]]; then
    _petstore_offer @file '' "$cur"
  elif [[ -n $flag ]]; then
    _petstore_offer "$offer" '' "$cur"
  elif [[ -z $ended && $cur == --*=* ]]; then
    _petstore_value_of "${cur%%=*}"
    _petstore_offer "$offer" "${cur%%=*}=" "${cur#*=}"
  elif [[ -z $ended && $cur == -* ]]; then
    _petstore_cluster "$cur"
    if [[ -n $offer && -n ${cur:i+1} ]]; then
      _petstore_offer "$offer" "${cur:0:i+1}" "${cur:i+1}"
    else
      _petstore_offer "$flags" '' "$cur"
    fi
  elif [[ -n $commands ]]; then
    _petstore_offer "$commands" '' "$cur"
  else
    _petstore_offer "${slots[count]-}" '' "$cur"
  fi
}

# Joins what COMP_WORDBREAKS took apart: the words before the cursor, and in cur what stands at it.
_petstore_split() {
  local line=${COMP_LINE:0:COMP_POINT} piece='' gap=''
  for piece in "${COMP_WORDS[@]}"; do
    gap=${line%%[!$' \t\n']*}
    line=${line:${#gap}}
    if [[ -n $gap ]]; then _petstore_end_word; fi
    if [[ -z $line ]]; then break; fi
    if [[ $piece == [\<\>]* ]]; then
      # The number before it belongs to the redirection.
      if [[ $cur == *[!0-9]* ]]; then _petstore_end_word; fi
      cur='' redirected=1
    else
      cur+=${piece:0:${#line}}
    fi
    line=${line:${#piece}}
  done
}

_petstore_end_word() {
  if [[ -z $cur ]]; then return 0; fi
  if [[ -z $redirected ]]; then words+=("${cur//[\"\'\\]/}"); fi
  cur='' redirected=''
}

# Follows the words to a place; fails where they lead nowhere.
_petstore_walk() {
  local word='' first=1
  _petstore_look_up
  for word in ${words[@]+"${words[@]}"}; do
    if [[ -n $first ]]; then
      first=''
    elif [[ -n $flag ]]; then
      flag=''
    elif [[ -z $ended && $word == -- ]]; then
      ended=1
    elif [[ -z $ended && $word == -?* ]]; then
      _petstore_cluster "$word"
      if [[ -n $offer && -z ${word:i+1} ]]; then flag=$word; fi
    elif [[ -n $commands ]]; then
      place=${place:+$place }$word
      _petstore_look_up || return 1
    else
      count=$((count + 1))
    fi
  done
}

# Finds the flag in $1 that takes a value: i is where its name ends, offer what it takes.
_petstore_cluster() {
  i=$((${#1} - 1))
  _petstore_value_of "$1"
  if [[ $1 == --* ]]; then return 0; fi
  for ((i = 1; i < ${#1}; i++)); do
    _petstore_value_of "-${1:i:1}"
    if [[ -n $offer ]]; then return 0; fi
  done
}

# Offers, of what $1 stands for, all that begins with $3; $2 stands before it in the same word.
_petstore_offer() {
  local word='' profiles=''
  case $1 in
    @file) _petstore_files "$2" "$3" ;;
    @nothing) ;;
    @profile)
      _petstore_profiles 2>/dev/null
      _petstore_offer "$profiles" "$2" "$3"
      ;;
    *)
      for word in $1; do
        if [[ $word == "$3"* ]]; then
          word=$2$word
          COMPREPLY+=("${word#"$kept"}")
        fi
      done
      ;;
  esac
}

# Readline itself knows best how files are named and quoted; before bash 4 it cannot be asked to.
_petstore_files() {
  local name=''
  # What was to be substituted, some versions would run.
  case $2 in *'`'* | *'$('* | *'${'* | *'$['*) return 0 ;; esac
  if [[ $1 == "$kept" ]] && builtin compopt -o default 2>/dev/null; then return 0; fi
  builtin compopt -o filenames 2>/dev/null || :
  while IFS= read -r name; do
    if [[ -n $name ]]; then
      name=$1$name
      COMPREPLY+=("${name#"$kept"}")
    fi
  done <<<"$(compgen -f -- "$2" || :)"
}

# The names of profiles, those in the configuration file among them if it can be read.
_petstore_profiles() {
  # By bytes every step below takes a time that grows as the text does.
  local LC_ALL=C || :
  local file=${PETSTORE_CONFIG_DIR-} parts=() part='' gap='' string='' names='' key=''
  local depth=0 due=structure
  profiles='sandbox staging production'
  if [[ -z $file && ${XDG_CONFIG_HOME-} == /* ]]; then file=$XDG_CONFIG_HOME/petstore; fi
  file=${file:-${HOME-}/.config/petstore}/config.json
  if [[ ! -f $file || ! -r $file ]]; then return 0; fi
  IFS='"' read -r -d '' -n 16384 -a parts <"$file" || :
  # Between quotes stand strings and structure by turns.
  for part in ${parts[@]+"${parts[@]}"}; do
    if [[ $due != structure ]]; then
      string+=$part
      due=structure
      # No name that petstore keeps, and slow to count.
      if [[ $part == *'\\\\\\\\' ]]; then return 0; fi
      part=${part##*[!\\]}
      # An odd number of backslashes: the quote belongs to the string.
      if ((${#part} % 2)); then string+='"' due=rest; fi
      continue
    fi
    gap=${part%%[!$' \t\r\n']*}
    if [[ ${part:${#gap}:1} == : ]]; then
      if [[ $depth == 1 ]]; then key=$string; fi
      if [[ $depth == 2 && $key == profiles && ${#string} -le 64 ]]; then
        if [[ $string == [A-Za-z0-9]* && $string != *[!A-Za-z0-9_-]* ]]; then names+=" $string"; fi
      fi
    fi
    if [[ $part == *[]{}[]* ]]; then _petstore_nest "$part"; fi
    string='' due=string
  done
  # Else it is broken.
  if [[ $depth == 0 && $due == string ]]; then profiles+=$names; fi
}

# Adds to depth what opens in $1, less what closes: so many times the shell splits it there.
_petstore_nest() {
  local IFS='{[' text=$1.
  set -- $text
  depth=$((depth + $#)) IFS='}]'
  set -- $text
  depth=$((depth - $#))
}

# Before bash 4 there is no compopt, and names of files are to be quoted as such.
if ((BASH_VERSINFO[0] < 4)); then
  complete -o filenames -F _petstore petstore
else
  complete -F _petstore petstore
fi
