import { builtInProfiles } from '../config/profile.js';
import type { Outline } from './outline.js';
import { bytesRead, type Flag, globalFlagsOf, type Offer, placesOf } from './places.js';

/** The completion script for fish, from 3.1 on. */
export function fish(outline: Outline): string {
  const places = placesOf(outline);
  const globals = globalFlagsOf(outline);
  return `# petstore completion for fish: see petstore help completion

# Whether the words given name a command.
function __petstore_is_command
    switch "$argv"
        case ${places
          .slice(1)
          .map(({ words }) => quote(words.join(' ')))
          .join(' ')}
            return 0
    end
    return 1
end

# Whether the flag at the end of the words given takes a value.
function __petstore_takes_value
    switch "$argv"
        case ${[
          ...globals.flatMap((flag) => valueCases(flag, '*')),
          ...places.flatMap(({ words, flags }) =>
            flags.flatMap((flag) => valueCases(flag, words.join(' '))),
          ),
        ].join(' ')}
            return 0
    end
    return 1
end

${engine}
complete --command petstore --erase
complete --command petstore --no-files
${[
  ...globals.map((flag) => flagLine(flag)),
  ...places.flatMap(({ words, commands, arguments: values, flags }) => [
    ...commands.map(
      ({ name, purpose }) =>
        `complete -c petstore ${at(words, 0)} -a ${quote(name)} -d ${quote(purpose)}`,
    ),
    ...values.flatMap(({ offer }, index) =>
      offer === 'nothing' ? [] : [`complete -c petstore ${at(words, index)} ${offerWords(offer)}`],
    ),
    ...flags.map((flag) => flagLine(flag, at(words))),
  ]),
].join('\n')}
`;
}

function valueCases({ names, value }: Flag, place: string): readonly string[] {
  return value ? names.map((name) => quote(`${place} ${name}`)) : [];
}

/** The condition that the cursor is at a place, and that so many arguments stand before it. */
function at(words: readonly string[], count?: number): string {
  return `-n ${quote(`__petstore_at "${words.join(' ')}"${count === undefined ? '' : ` ${count}`}`)}`;
}

function flagLine({ names, purpose, value }: Flag, condition?: string): string {
  return [
    'complete -c petstore',
    ...(condition ? [condition] : []),
    ...names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)),
    ...(value ? ['-r', value.offer === 'nothing' ? '-f' : offerWords(value.offer)] : []),
    `-d ${quote(purpose)}`,
  ].join(' ');
}

function offerWords(offer: Exclude<Offer, 'nothing'>): string {
  if (offer === 'file') return '-F';
  if (offer === 'profile') return `-f -a ${quote('(__petstore_profiles)')}`;
  // After the tab stands what a value is, else it would be what its flag is.
  return `-f -a ${quote(offer.map((word) => `${word}\\t`).join(' '))}`;
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** The part that knows no command. Nothing in it evaluates what was typed or what a file holds. */
const engine = String.raw`# Whether the words before the cursor lead to a place, with so many arguments after it.
function __petstore_at --argument-names place count
    set -l line (commandline --cut-at-cursor --current-process)
    if test "$line" != "$__petstore_line"; or not set -q __petstore_place
        __petstore_walk
        set -g __petstore_line "$line"
    end
    test "$place" = "$__petstore_place"; and contains -- "$count" '' $__petstore_count
end

# Follows the words before the cursor, one by one.
function __petstore_walk
    # Fish tells of the files of redirections as of any word; the line, taken apart, tells which they are.
    set -l piece '(?<piece>[^][\s"\'\\\\()<>]|[][]|\\\\.|"(?:[^"\\\\]|\\\\.)*+"?|\'(?:[^\'\\\\]|\\\\.)*+\'?|\((?:(?&piece)|[\s<>])*+\)?)'
    set -l line (commandline --cut-at-cursor --current-process | string join ' ')
    set -l spans (string replace -ar '(?:[0-9]*+&?[<>][<>&|?]*+\s*+)?(?:'$piece')++' '$0'\n -- "$line")
    set -l words
    for word in (commandline --tokenize --cut-at-cursor --current-process)
        string match -rq '^\s*[0-9&]*[<>]' -- "$spans[1]"; or set -a words $word
        set -e spans[1]
    end
    while string match -q -- '*=*' "$words[1]"
        set -e words[1]
    end
    set -l place
    set -l count 0
    set -l ended no
    set -l flag no
    for word in $words[2..-1]
        if test $flag = yes
            set flag no
        else if test $ended = no; and test "$word" = --
            set ended yes
        else if test $ended = no; and string match -q -- '--*' $word
            __petstore_takes_value "$place" $word; and set flag yes
        else if test $ended = no; and string match -qr -- '^-.' $word
            set -l letters (string sub -s 2 -- $word)
            while test -n "$letters"
                set -l letter (string sub -l 1 -- $letters)
                set letters (string sub -s 2 -- $letters)
                if __petstore_takes_value "$place" -$letter
                    test -z "$letters"; and set flag yes
                    break
                end
            end
        else if test $count = 0; and __petstore_is_command $place $word
            set -a place $word
        else
            set count (math $count + 1)
        end
    end
    set -g __petstore_place "$place"
    set -g __petstore_count $count
end

# The names of profiles, those in the configuration file among them if it can be read.
function __petstore_profiles
    set -l names ${builtInProfiles.join(' ')}
    set -l file "$PETSTORE_CONFIG_DIR"
    if test -z "$file"; and string match -q -- '/*' "$XDG_CONFIG_HOME"
        set file "$XDG_CONFIG_HOME/petstore"
    else if test -z "$file"
        set file "$HOME/.config/petstore"
    end
    set file "$file/config.json"
    set -l text
    if test -f "$file"; and test -r "$file"
        command head -c ${bytesRead} -- "$file" 2>/dev/null | read --null text
    end
    # Of JSON, the structure and such strings as may be names are left; a string without an end keeps its quote.
    set -l string '(?s)(?|("[A-Za-z0-9][A-Za-z0-9_-]{0,63}")|"(?:[^"\\\\]++|\\\\.)*+"()|\s++()|(").*)'
    set text (string replace -ra $string '$1' -- "$text")
    # What stands between brackets; nothing that petstore keeps is deeper. No pattern here goes back on its steps.
    set -l inside '[^][{}]*+'
    for level in 1 2 3 4 5 6 7 8
        set inside '(?:[^][{}]++|[[{]'$inside'[]}])*+'
    end
    set -l before '^\x{feff}?\{(?:[^][{}"]++|"(?!profiles":\{)|[[{]'$inside'[]}])*+"profiles":\{'
    set -l object (string replace -rf $before'('$inside')\}'$inside'\}$' '$1' -- "$text")
    set -l keys (string replace -ra '[[{]'$inside'[]}]' '' -- "$object")
    set -a names (string match -ra '"\K[^",:]++(?=":)' -- "$keys")
    # After the tab stands what a value is, else it would be what its flag is.
    printf '%s\t\n' $names
end
`;
