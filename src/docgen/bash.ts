import { builtInProfiles } from '../config/profile.js';
import type { Outline } from './outline.js';
import { bytesRead, codeOf, type Flag, globalFlagsOf, placesOf } from './places.js';

/** The completion script for bash, from 3.2 on; it needs nothing but bash. */
export function bash(outline: Outline): string {
  const places = placesOf(outline);
  const globals = globalFlagsOf(outline);
  return `# petstore completion for bash: source this file, or see petstore help completion
# What may stand after the words of $place.
_petstore_look_up() {
  commands='' flags='' slots=()
  case $place in
${places
  .map(({ words, commands, arguments: values, flags }) => {
    const parts = [
      commands.length > 0 && `commands=${quote(commands.map(({ name }) => name).join(' '))}`,
      flags.length > 0 && `flags=${quote(namesOf(flags))}`,
      values.length > 0 && `slots=(${values.map(({ offer }) => quote(codeOf(offer))).join(' ')})`,
    ].filter((part) => part !== false);
    return `    ${quote(words.join(' '))}) ${parts.join(' ') || ':'} ;;`;
  })
  .join('\n')}
    *) return 1 ;;
  esac
  flags="$flags ${namesOf(globals)}"
}

# What the value of flag $1 is; empty for a switch.
_petstore_value_of() {
  offer=''
  case "$place $1" in
${[
  ...places.flatMap(({ words, flags }) =>
    flags.flatMap((flag) => valueCases(flag, (name) => quote([...words, name].join(' ')))),
  ),
  ...globals.flatMap((flag) => valueCases(flag, (name) => `*${quote(` ${name}`)}`)),
].join('\n')}
  esac
}

${engine}`;
}

function valueCases({ names, value }: Flag, pattern: (name: string) => string): readonly string[] {
  if (!value) return [];
  return [`    ${names.map(pattern).join(' | ')}) offer=${quote(codeOf(value.offer))} ;;`];
}

function namesOf(flags: readonly Flag[]): string {
  return flags.flatMap(({ names }) => names).join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The part that knows no command. Nothing in it evaluates what was typed or what a file holds. */
const engine = `_petstore() {
  local IFS=$' \\t\\n' patterns=-u globs=+f
  # Patterns here tell -f from -F, and none stands for files.
  if shopt -q nocasematch; then patterns=-s; fi
  if [[ $- == *f* ]]; then globs=-f; fi
  shopt -u nocasematch
  set -f
  _petstore_complete "\${2-}"
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
  if [[ $cur == *"$1" ]]; then kept=\${cur%"$1"}; fi
  kept=\${kept//[\\"\\']/}
  cur=\${cur//[\\"\\'\\\\]/}
  if [[ -n $redirected ]]; then
    _petstore_offer @file '' "$cur"
  elif [[ -n $flag ]]; then
    _petstore_offer "$offer" '' "$cur"
  elif [[ -z $ended && $cur == --*=* ]]; then
    _petstore_value_of "\${cur%%=*}"
    _petstore_offer "$offer" "\${cur%%=*}=" "\${cur#*=}"
  elif [[ -z $ended && $cur == -* ]]; then
    _petstore_cluster "$cur"
    if [[ -n $offer && -n \${cur:i+1} ]]; then
      _petstore_offer "$offer" "\${cur:0:i+1}" "\${cur:i+1}"
    else
      _petstore_offer "$flags" '' "$cur"
    fi
  elif [[ -n $commands ]]; then
    _petstore_offer "$commands" '' "$cur"
  else
    _petstore_offer "\${slots[count]-}" '' "$cur"
  fi
}

# Joins what COMP_WORDBREAKS took apart: the words before the cursor, and in cur what stands at it.
_petstore_split() {
  local line=\${COMP_LINE:0:COMP_POINT} piece='' gap=''
  for piece in "\${COMP_WORDS[@]}"; do
    gap=\${line%%[!$' \\t\\n']*}
    line=\${line:\${#gap}}
    if [[ -n $gap ]]; then _petstore_end_word; fi
    if [[ -z $line ]]; then break; fi
    if [[ $piece == [\\<\\>]* ]]; then
      # The number before it belongs to the redirection.
      if [[ $cur == *[!0-9]* ]]; then _petstore_end_word; fi
      cur='' redirected=1
    else
      cur+=\${piece:0:\${#line}}
    fi
    line=\${line:\${#piece}}
  done
}

_petstore_end_word() {
  if [[ -z $cur ]]; then return 0; fi
  if [[ -z $redirected ]]; then words+=("\${cur//[\\"\\'\\\\]/}"); fi
  cur='' redirected=''
}

# Follows the words to a place; fails where they lead nowhere.
_petstore_walk() {
  local word='' first=1
  _petstore_look_up
  for word in \${words[@]+"\${words[@]}"}; do
    if [[ -n $first ]]; then
      first=''
    elif [[ -n $flag ]]; then
      flag=''
    elif [[ -z $ended && $word == -- ]]; then
      ended=1
    elif [[ -z $ended && $word == -?* ]]; then
      _petstore_cluster "$word"
      if [[ -n $offer && -z \${word:i+1} ]]; then flag=$word; fi
    elif [[ -n $commands ]]; then
      place=\${place:+$place }$word
      _petstore_look_up || return 1
    else
      count=$((count + 1))
    fi
  done
}

# Finds the flag in $1 that takes a value: i is where its name ends, offer what it takes.
_petstore_cluster() {
  i=$((\${#1} - 1))
  _petstore_value_of "$1"
  if [[ $1 == --* ]]; then return 0; fi
  for ((i = 1; i < \${#1}; i++)); do
    _petstore_value_of "-\${1:i:1}"
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
          COMPREPLY+=("\${word#"$kept"}")
        fi
      done
      ;;
  esac
}

# Readline itself knows best how files are named and quoted; before bash 4 it cannot be asked to.
_petstore_files() {
  local name=''
  # What was to be substituted, some versions would run.
  case $2 in *'\`'* | *'$('* | *'\${'* | *'$['*) return 0 ;; esac
  if [[ $1 == "$kept" ]] && builtin compopt -o default 2>/dev/null; then return 0; fi
  builtin compopt -o filenames 2>/dev/null || :
  while IFS= read -r name; do
    if [[ -n $name ]]; then
      name=$1$name
      COMPREPLY+=("\${name#"$kept"}")
    fi
  done <<<"$(compgen -f -- "$2" || :)"
}

# The names of profiles, those in the configuration file among them if it can be read.
_petstore_profiles() {
  # By bytes every step below takes a time that grows as the text does.
  local LC_ALL=C || :
  local file=\${PETSTORE_CONFIG_DIR-} parts=() part='' gap='' string='' names='' key=''
  local depth=0 due=structure
  profiles='${builtInProfiles.join(' ')}'
  if [[ -z $file && \${XDG_CONFIG_HOME-} == /* ]]; then file=$XDG_CONFIG_HOME/petstore; fi
  file=\${file:-\${HOME-}/.config/petstore}/config.json
  if [[ ! -f $file || ! -r $file ]]; then return 0; fi
  IFS='"' read -r -d '' -n ${bytesRead} -a parts <"$file" || :
  # Between quotes stand strings and structure by turns.
  for part in \${parts[@]+"\${parts[@]}"}; do
    if [[ $due != structure ]]; then
      string+=$part
      due=structure
      # No name that petstore keeps, and slow to count.
      if [[ $part == *'\\\\\\\\\\\\\\\\' ]]; then return 0; fi
      part=\${part##*[!\\\\]}
      # An odd number of backslashes: the quote belongs to the string.
      if ((\${#part} % 2)); then string+='"' due=rest; fi
      continue
    fi
    gap=\${part%%[!$' \\t\\r\\n']*}
    if [[ \${part:\${#gap}:1} == : ]]; then
      if [[ $depth == 1 ]]; then key=$string; fi
      if [[ $depth == 2 && $key == profiles && \${#string} -le 64 ]]; then
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
`;
