import { builtInProfiles } from '../config/profile.js';
import type { Outline } from './outline.js';
import {
  bytesRead,
  type Flag,
  globalFlagsOf,
  type Named,
  type Offer,
  placesOf,
  type Value,
} from './places.js';

/** The completion script for zsh: a file for `$fpath`, or to be sourced. */
export function zsh(outline: Outline): string {
  const places = placesOf(outline).map(({ words, commands, arguments: values, flags }) => {
    const parts = [
      ...listOf('commands', commands.map(itemOf)),
      ...listOf(
        'arguments',
        values.map((value, index) => `${index + 1}:${valueSpecOf(value)}`),
      ),
      ...listOf('flags', flags.flatMap(specsOf)),
    ];
    return `    (${quote(words.join(' '))})${parts.map((part) => `\n      ${part}`).join('')} ;;`;
  });
  return `#compdef petstore

# What may stand after the words of $place.
_petstore_look_up() {
  case $place in
${places.join('\n')}
    (*) return 1 ;;
  esac
  flags+=(${globalFlagsOf(outline).flatMap(specsOf).map(lineOf).join('')}
  )
}

${engine}`;
}

function listOf(name: string, items: readonly string[]): readonly string[] {
  return items.length === 0
    ? []
    : [`${name}=(${items.map((item) => `\n        ${quote(item)}`).join('')}\n      )`];
}

function lineOf(spec: string): string {
  return `\n    ${quote(spec)}`;
}

/** As `_describe` takes it. */
function itemOf({ name, purpose }: Named): string {
  return `${name}:${purpose.replaceAll('\\', '\\\\')}`;
}

/** As `_arguments` takes it, once for each name: `(-p --profile)-p+[purpose]:name:action`. */
function specsOf({ names, purpose, repeats, value, optional }: Flag): readonly string[] {
  const before = repeats ? '*' : names.length > 1 ? `(${names.join(' ')})` : '';
  return names.map((name) => {
    const joins = value ? (name.startsWith('--') ? '=' : '+') : '';
    const may = optional === undefined ? '' : `::${escaped(optional)}: `;
    const after = value ? `:${valueSpecOf(value)}` : may;
    return `${before}${name}${joins}[${escaped(purpose)}]${after}`;
  });
}

function valueSpecOf({ term, offer }: Value): string {
  return `${escaped(term)}:${actionOf(offer)}`;
}

function actionOf(offer: Offer): string {
  if (offer === 'nothing') return ' ';
  return typeof offer === 'string' ? `_petstore_${offer}s` : `(${offer.join(' ')})`;
}

function escaped(text: string): string {
  return text.replace(/[\\:[\]]/g, '\\$&');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The part that knows no command. Nothing in it evaluates what was typed or what a file holds. */
const engine = `_petstore() {
  local curcontext=$curcontext
  local -i petstore_ended=0
  _petstore_at ''
}

# Offers what may stand after the words of $1.
_petstore_at() {
  local context state state_descr line place=$1
  local -a commands arguments flags
  local -A opt_args
  local -a before; before=("\${words[@]}")
  local -i ret=1
  _petstore_look_up || return 1
  # Below a command, flags are for the next call.
  (( $#commands )) && arguments=(-A '-*' '1: :->command' '*:: :->below')
  (( petstore_ended )) && flags=()
  _arguments -C -s -S $arguments $flags && ret=0
  case $state in
    (command)
      _describe -t commands 'petstore command' commands && ret=0
      ;;
    (below)
      before=("\${(@)before[1,$#before-$#words]}")
      [[ $words[1] == -- ]] && before=(--) words=("\${(@)words[2,-1]}") && (( CURRENT-- ))
      (( \${before[(I)--]} )) && petstore_ended=1
      curcontext=\${curcontext%:*:*}:petstore-below:
      _petstore_at "\${place:+$place }\${(Q)words[1]}" && ret=0
      ;;
  esac
  return ret
}

# _files expands what was typed, and would run what is to be substituted: only parameters are let through.
_petstore_files() {
  [[ \${PREFIX//\\$[A-Za-z_][A-Za-z0-9_]#/} == *[\\\`\\$]* ]] && return 1
  _files "$@"
}

# The names of profiles, those in the configuration file among them if it can be read.
_petstore_profiles() {
  local file=$PETSTORE_CONFIG_DIR text part string key character due=structure
  local -a names kept small
  local -i depth=0
  names=(${builtInProfiles.join(' ')})
  [[ -z $file && $XDG_CONFIG_HOME == /* ]] && file=$XDG_CONFIG_HOME/petstore
  file=\${file:-$HOME/.config/petstore}/config.json
  small=($file(N-.L-${bytesRead + 1}))
  [[ -n $small && -r $file ]] && text=$(<$file) 2>/dev/null
  # Between quotes stand strings and structure by turns.
  for part in "\${(@ps:\\x22:)text}"; do
    if [[ $due != structure ]]; then
      string+=$part
      due=structure
      # An odd number of backslashes: the quote belongs to the string.
      (( \${#\${(M)part%%\\\\#}} % 2 )) && string+='"' due=rest
      continue
    fi
    part=\${part//[^][\\{\\}:]/}
    (( depth == 1 )) && [[ $part == :* ]] && key=$string
    if (( depth == 2 && $#string <= 64 )) && [[ $key == profiles && $part == :* ]]; then
      [[ $string == [A-Za-z0-9][A-Za-z0-9_-]# ]] && kept+=($string)
    fi
    for character in \${(s::)part}; do
      case $character in
        (['{[']) (( depth++ )) ;;
        (['}]']) (( depth-- )) ;;
      esac
    done
    string='' due=string
  done
  # Else it is broken.
  (( depth == 0 )) && [[ $due == string ]] && names+=($kept)
  compadd "$@" -a names
}

# From $fpath the file is what the function does first; sourced, it is told of.
if [[ $funcstack[1] == _petstore ]]; then
  _petstore "$@"
else
  compdef _petstore petstore
fi
`;
