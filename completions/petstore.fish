# petstore completion for fish: see petstore help completion

# Whether the words given name a command.
function __petstore_is_command
    switch "$argv"
        case 'pets' 'pets list' 'pets browse' 'pets add' 'pets get' 'pets import' 'pets export' 'orders' 'orders list' 'auth' 'auth login' 'auth logout' 'auth status' 'auth token' 'profile' 'profile list' 'profile show' 'profile use' 'profile set' 'profile remove' 'config' 'config list' 'config get' 'config set' 'config unset' 'config path' 'quota' 'api' 'sandbox' 'sandbox status' 'sandbox plan' 'sandbox reset' 'serve' 'serve keys' 'serve keys create' 'serve keys list' 'serve keys revoke' 'doctor' 'completion' 'help' 'help pets' 'help pets list' 'help pets browse' 'help pets add' 'help pets get' 'help pets import' 'help pets export' 'help orders' 'help orders list' 'help auth' 'help auth login' 'help auth logout' 'help auth status' 'help auth token' 'help profile' 'help profile list' 'help profile show' 'help profile use' 'help profile set' 'help profile remove' 'help config' 'help config list' 'help config get' 'help config set' 'help config unset' 'help config path' 'help quota' 'help api' 'help sandbox' 'help sandbox status' 'help sandbox plan' 'help sandbox reset' 'help serve' 'help serve keys' 'help serve keys create' 'help serve keys list' 'help serve keys revoke' 'help doctor' 'help completion' 'help help' 'help exit-codes' 'help environment' 'help formats'
            return 0
    end
    return 1
end

# Whether the flag at the end of the words given takes a value.
function __petstore_takes_value
    switch "$argv"
        case '* -p' '* --profile' '* --base-url' '* -o' '* --output' '* --jq' '* --fields' '* --timeout' '* --max-wait' '* --color' 'pets list --status' 'pets list --limit' 'pets add --name' 'pets add --category-id' 'pets add --status' 'pets add --from' 'pets import --format' 'pets import --concurrency' 'pets import --journal' 'pets import --rejects' 'pets export --status' 'api -X' 'api -f' 'api -F' 'api -H' 'api --input' 'sandbox reset --plan' 'serve --port' 'serve --host' 'serve --allow-host' 'serve --api-key-file' 'serve --database' 'serve --plan' 'serve --per-minute' 'serve --per-day' 'serve --latency' 'serve --fault' 'serve --clock' 'serve keys create --plan' 'serve keys create --per-minute' 'serve keys create --per-day' 'serve keys create --label' 'serve keys create --database' 'serve keys list --database' 'serve keys revoke --database'
            return 0
    end
    return 1
end

# Whether the words before the cursor lead to a place, with so many arguments after it.
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
    set -l names sandbox staging production
    set -l file "$PETSTORE_CONFIG_DIR"
    if test -z "$file"; and string match -q -- '/*' "$XDG_CONFIG_HOME"
        set file "$XDG_CONFIG_HOME/petstore"
    else if test -z "$file"
        set file "$HOME/.config/petstore"
    end
    set file "$file/config.json"
    set -l text
    if test -f "$file"; and test -r "$file"
        command head -c 16384 -- "$file" 2>/dev/null | read --null text
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

complete --command petstore --erase
complete --command petstore --no-files
complete -c petstore -s p -l profile -r -f -a '(__petstore_profiles)' -d 'environment to use'
complete -c petstore -l base-url -r -f -d 'service to use in place of the profile\'s'
complete -c petstore -s o -l output -r -f -a 'table\\t json\\t ndjson\\t yaml\\t csv\\t tsv\\t' -d 'table, json, ndjson, yaml, csv, tsv'
complete -c petstore -l json -d 'the same as --output json'
complete -c petstore -l jq -r -f -d 'filter the JSON with a jq program'
complete -c petstore -l fields -r -f -d 'keys to show and their order, such as id,name'
complete -c petstore -l no-header -d 'no header row in table, csv and tsv'
complete -c petstore -l no-input -d 'never ask; fail and name the flag that answers'
complete -c petstore -s y -l yes -d 'answer confirmations with yes'
complete -c petstore -s q -l quiet -d 'no quota line, notices, warnings or progress'
complete -c petstore -s v -l verbose -d 'show each request and answer on stderr, without secrets'
complete -c petstore -l debug -d 'show stack traces too'
complete -c petstore -l timeout -r -f -d 'one deadline for each request, its body included (default: 30)'
complete -c petstore -l max-wait -r -f -d 'longest wait for the quota; 0 never waits (default: 60)'
complete -c petstore -l color -r -f -a 'auto\\t always\\t never\\t' -d 'auto, always, never'
complete -c petstore -l no-color -d 'the same as --color never'
complete -c petstore -s V -l version -d 'print the version'
complete -c petstore -s h -l help -d 'show this help'
complete -c petstore -n '__petstore_at "" 0' -a 'pets' -d 'List, browse, add, show, import and export pets.'
complete -c petstore -n '__petstore_at "" 0' -a 'orders' -d 'List store orders (experimental).'
complete -c petstore -n '__petstore_at "" 0' -a 'auth' -d 'Keep the API keys of profiles.'
complete -c petstore -n '__petstore_at "" 0' -a 'profile' -d 'Switch between environments.'
complete -c petstore -n '__petstore_at "" 0' -a 'config' -d 'Keep settings.'
complete -c petstore -n '__petstore_at "" 0' -a 'quota' -d 'Show how many requests are left, from what the service last said.'
complete -c petstore -n '__petstore_at "" 0' -a 'api' -d 'Send a raw request with the profile\'s key, and print what comes back.'
complete -c petstore -n '__petstore_at "" 0' -a 'sandbox' -d 'Look after the built-in store.'
complete -c petstore -n '__petstore_at "" 0' -a 'serve' -d 'Run the animal store itself, for others to use.'
complete -c petstore -n '__petstore_at "" 0' -a 'doctor' -d 'Check all that petstore needs, with at most one request; or what a store is like.'
complete -c petstore -n '__petstore_at "" 0' -a 'completion' -d 'Print the completion script of a shell.'
complete -c petstore -n '__petstore_at "" 0' -a 'help' -d 'Show the manual page of a command, or of a topic.'
complete -c petstore -n '__petstore_at "pets" 0' -a 'list' -d 'List the pets of the store, by ascending id.'
complete -c petstore -n '__petstore_at "pets" 0' -a 'browse' -d 'Look through the pets of the store on a terminal.'
complete -c petstore -n '__petstore_at "pets" 0' -a 'add' -d 'Add a pet to the store.'
complete -c petstore -n '__petstore_at "pets" 0' -a 'get' -d 'Show one pet by its id (deprecated: the service removes this on 5 December 2030).'
complete -c petstore -n '__petstore_at "pets" 0' -a 'import' -d 'Add the pets of a file, paced to the quota; run again, it goes on where it stopped.'
complete -c petstore -n '__petstore_at "pets" 0' -a 'export' -d 'Write every pet to a file, as it comes.'
complete -c petstore -n '__petstore_at "pets list"' -l status -r -f -a 'available\\t pending\\t sold\\t' -d 'only pets with this status: available, pending, sold'
complete -c petstore -n '__petstore_at "pets list"' -l limit -r -f -d 'pets in one request, 1 to 100 (the service\'s default: 20)'
complete -c petstore -n '__petstore_at "pets list"' -l all -d 'follow the service to the last page (100 pets a request)'
complete -c petstore -n '__petstore_at "pets list"' -l watch -d 'go on, and tell what comes, goes and changes (every 5 seconds unless told otherwise)'
complete -c petstore -n '__petstore_at "pets list"' -l curl -d 'print the request as a curl command, and send nothing'
complete -c petstore -n '__petstore_at "pets add"' -l name -r -f -d 'its name'
complete -c petstore -n '__petstore_at "pets add"' -l category-id -r -f -d 'the category it belongs to, a 64-bit whole number'
complete -c petstore -n '__petstore_at "pets add"' -l status -r -f -a 'available\\t pending\\t sold\\t' -d 'available, pending, sold'
complete -c petstore -n '__petstore_at "pets add"' -l from -r -F -d 'read name, categoryId and status from a JSON file (- for stdin)'
complete -c petstore -n '__petstore_at "pets add"' -l dry-run -d 'show what would be sent, and send nothing'
complete -c petstore -n '__petstore_at "pets add"' -l curl -d 'print the request as a curl command, and send nothing'
complete -c petstore -n '__petstore_at "pets get"' -l curl -d 'print the request as a curl command, and send nothing'
complete -c petstore -n '__petstore_at "pets import" 0' -F
complete -c petstore -n '__petstore_at "pets import"' -l format -r -f -a 'csv\\t json\\t ndjson\\t' -d 'csv, json, ndjson (default: what the name ends in, or what it looks like)'
complete -c petstore -n '__petstore_at "pets import"' -l concurrency -r -f -d 'requests at once (default: 8)'
complete -c petstore -n '__petstore_at "pets import"' -l journal -r -F -d 'where to write down what was sent (default: in the state directory)'
complete -c petstore -n '__petstore_at "pets import"' -l rejects -r -F -d 'keep rows that cannot be added there, and send the others'
complete -c petstore -n '__petstore_at "pets import"' -l dry-run -d 'check the rows, and send nothing'
complete -c petstore -n '__petstore_at "pets export" 0' -F
complete -c petstore -n '__petstore_at "pets export"' -l status -r -f -a 'available\\t pending\\t sold\\t' -d 'only pets with this status: available, pending, sold'
complete -c petstore -n '__petstore_at "pets export"' -l force -d 'replace a file that is there'
complete -c petstore -n '__petstore_at "pets export"' -l curl -d 'print the request as a curl command, and send nothing'
complete -c petstore -n '__petstore_at "orders" 0' -a 'list' -d 'List the orders of the store, whatever shape they have (experimental).'
complete -c petstore -n '__petstore_at "orders list"' -l curl -d 'print the request as a curl command, and send nothing'
complete -c petstore -n '__petstore_at "auth" 0' -a 'login' -d 'Verify an API key with one request, store it, and make its profile the current one.'
complete -c petstore -n '__petstore_at "auth" 0' -a 'logout' -d 'Forget the key of a profile.'
complete -c petstore -n '__petstore_at "auth" 0' -a 'status' -d 'Show which key would be used, and where it comes from, without sending a request.'
complete -c petstore -n '__petstore_at "auth" 0' -a 'token' -d 'Print the key of a profile: the only command that does.'
complete -c petstore -n '__petstore_at "auth login"' -l with-key -d 'read the key from standard input'
complete -c petstore -n '__petstore_at "auth login"' -l keyring -d 'store it in the system keyring, where that works'
complete -c petstore -n '__petstore_at "auth status"' -l check -d 'send one request to see whether the service takes the key'
complete -c petstore -n '__petstore_at "auth status"' -l curl -d 'print the request as a curl command, and send nothing'
complete -c petstore -n '__petstore_at "profile" 0' -a 'list' -d 'List the profiles; the current one is marked.'
complete -c petstore -n '__petstore_at "profile" 0' -a 'show' -d 'Show one profile.'
complete -c petstore -n '__petstore_at "profile" 0' -a 'use' -d 'Make a profile the current one.'
complete -c petstore -n '__petstore_at "profile" 0' -a 'set' -d 'Add a profile, or change the base URL and output format that it keeps.'
complete -c petstore -n '__petstore_at "profile" 0' -a 'remove' -d 'Forget what a profile keeps, its key too; a built-in profile stays, empty.'
complete -c petstore -n '__petstore_at "profile show" 0' -f -a '(__petstore_profiles)'
complete -c petstore -n '__petstore_at "profile use" 0' -f -a '(__petstore_profiles)'
complete -c petstore -n '__petstore_at "profile set" 0' -f -a '(__petstore_profiles)'
complete -c petstore -n '__petstore_at "profile remove" 0' -f -a '(__petstore_profiles)'
complete -c petstore -n '__petstore_at "config" 0' -a 'list' -d 'List the settings in force.'
complete -c petstore -n '__petstore_at "config" 0' -a 'get' -d 'Show one setting.'
complete -c petstore -n '__petstore_at "config" 0' -a 'set' -d 'Keep a setting.'
complete -c petstore -n '__petstore_at "config" 0' -a 'unset' -d 'Forget a kept setting.'
complete -c petstore -n '__petstore_at "config" 0' -a 'path' -d 'Print where the settings are kept.'
complete -c petstore -n '__petstore_at "config list"' -l sources -d 'show where each value comes from'
complete -c petstore -n '__petstore_at "config get" 0' -f -a 'profile\\t output\\t color\\t timeout\\t max-wait\\t input\\t quiet\\t accessible\\t pager\\t ledger\\t'
complete -c petstore -n '__petstore_at "config set" 0' -f -a 'profile\\t output\\t color\\t timeout\\t max-wait\\t input\\t quiet\\t accessible\\t pager\\t ledger\\t'
complete -c petstore -n '__petstore_at "config unset" 0' -f -a 'profile\\t output\\t color\\t timeout\\t max-wait\\t input\\t quiet\\t accessible\\t pager\\t ledger\\t'
complete -c petstore -n '__petstore_at "quota"' -l refresh -d 'spend one request to know it now'
complete -c petstore -n '__petstore_at "quota"' -l curl -d 'print the request as a curl command, and send nothing'
complete -c petstore -n '__petstore_at "api"' -s X -r -f -a 'GET\\t HEAD\\t POST\\t PUT\\t PATCH\\t DELETE\\t' -d 'GET, or POST where a body is given'
complete -c petstore -n '__petstore_at "api"' -s f -r -f -d 'a member of the body, as text (repeatable)'
complete -c petstore -n '__petstore_at "api"' -s F -r -f -d 'the same, where true, false, null, whole numbers and @file are what they say (repeatable)'
complete -c petstore -n '__petstore_at "api"' -s H -r -f -d 'a further header (repeatable)'
complete -c petstore -n '__petstore_at "api"' -l input -r -F -d 'send this file as the body (- for stdin)'
complete -c petstore -n '__petstore_at "api"' -s i -d 'print status and headers too'
complete -c petstore -n '__petstore_at "api"' -l paginate -d 'follow the links to the next pages, into one list'
complete -c petstore -n '__petstore_at "api"' -l curl -d 'print the request as a curl command, and send nothing'
complete -c petstore -n '__petstore_at "sandbox" 0' -a 'status' -d 'Show where the data of the sandbox lies, and its plan.'
complete -c petstore -n '__petstore_at "sandbox" 0' -a 'plan' -d 'Change the limits of the sandbox; its pets stay.'
complete -c petstore -n '__petstore_at "sandbox" 0' -a 'reset' -d 'Put the sample animals back and start the quota anew.'
complete -c petstore -n '__petstore_at "sandbox plan" 0' -f -a 'free\\t pro\\t business\\t enterprise\\t'
complete -c petstore -n '__petstore_at "sandbox reset"' -l plan -r -f -a 'free\\t pro\\t business\\t enterprise\\t' -d 'free, pro, business, enterprise'
complete -c petstore -n '__petstore_at "sandbox reset"' -l empty -d 'without any animals'
complete -c petstore -n '__petstore_at "serve" 0' -a 'keys' -d 'Look after the API keys of the store.'
complete -c petstore -n '__petstore_at "serve"' -l port -r -f -d '0 for any free one (default: 4010)'
complete -c petstore -n '__petstore_at "serve"' -l host -r -f -d 'address to listen on (default: 127.0.0.1)'
complete -c petstore -n '__petstore_at "serve"' -l allow-host -r -f -d 'name that leads here, without port; may be given again'
complete -c petstore -n '__petstore_at "serve"' -l metrics -d 'answer GET /metrics, for Prometheus'
complete -c petstore -n '__petstore_at "serve"' -l api-key-file -r -F -d 'serve the API key in this file (default: one made at first start)'
complete -c petstore -n '__petstore_at "serve"' -l database -r -F -d 'or postgres://user@host/name; :memory: is forgotten (default: in the data directory)'
complete -c petstore -n '__petstore_at "serve"' -l plan -r -f -a 'free\\t pro\\t business\\t enterprise\\t' -d 'free, pro, business, enterprise'
complete -c petstore -n '__petstore_at "serve"' -l per-minute -r -f -d 'requests a minute, with --plan enterprise'
complete -c petstore -n '__petstore_at "serve"' -l per-day -r -f -d 'requests a day, with --plan enterprise'
complete -c petstore -n '__petstore_at "serve"' -l latency -r -f -d 'milliseconds that every answer takes longer'
complete -c petstore -n '__petstore_at "serve"' -l fault -r -f -d 'fail now and then: 503:0.05, reset:0.01, 429:0.1; seed:42 repeats the same ones; may be given again'
complete -c petstore -n '__petstore_at "serve"' -l clock -r -f -d 'live at another time, such as 2030-12-06 or 2030-12-04T23:59:50Z (UTC)'
complete -c petstore -n '__petstore_at "serve keys" 0' -a 'create' -d 'Create an API key, and show it this once.'
complete -c petstore -n '__petstore_at "serve keys" 0' -a 'list' -d 'List the API keys, with what each has left.'
complete -c petstore -n '__petstore_at "serve keys" 0' -a 'revoke' -d 'Revoke an API key: who uses it is refused from then on.'
complete -c petstore -n '__petstore_at "serve keys create"' -l plan -r -f -a 'free\\t pro\\t business\\t enterprise\\t' -d 'free, pro, business, enterprise'
complete -c petstore -n '__petstore_at "serve keys create"' -l per-minute -r -f -d 'requests a minute, with --plan enterprise'
complete -c petstore -n '__petstore_at "serve keys create"' -l per-day -r -f -d 'requests a day, with --plan enterprise'
complete -c petstore -n '__petstore_at "serve keys create"' -l label -r -f -d 'what the key is for, 1 to 100 characters'
complete -c petstore -n '__petstore_at "serve keys create"' -l database -r -F -d 'the one that petstore serve opens (default: in the data directory)'
complete -c petstore -n '__petstore_at "serve keys list"' -l database -r -F -d 'the one that petstore serve opens (default: in the data directory)'
complete -c petstore -n '__petstore_at "serve keys revoke"' -l database -r -F -d 'the one that petstore serve opens (default: in the data directory)'
complete -c petstore -n '__petstore_at "doctor"' -l contract -d 'ask the service how it keeps the interface, with up to ten requests'
complete -c petstore -n '__petstore_at "doctor"' -l write -d 'with --contract: add a pet, too, to see whether it comes back as it was'
complete -c petstore -n '__petstore_at "doctor"' -l curl -d 'print the request as a curl command, and send nothing'
complete -c petstore -n '__petstore_at "completion" 0' -f -a 'bash\\t zsh\\t fish\\t powershell\\t'
complete -c petstore -n '__petstore_at "help" 0' -a 'pets' -d 'List, browse, add, show, import and export pets.'
complete -c petstore -n '__petstore_at "help" 0' -a 'orders' -d 'List store orders (experimental).'
complete -c petstore -n '__petstore_at "help" 0' -a 'auth' -d 'Keep the API keys of profiles.'
complete -c petstore -n '__petstore_at "help" 0' -a 'profile' -d 'Switch between environments.'
complete -c petstore -n '__petstore_at "help" 0' -a 'config' -d 'Keep settings.'
complete -c petstore -n '__petstore_at "help" 0' -a 'quota' -d 'Show how many requests are left, from what the service last said.'
complete -c petstore -n '__petstore_at "help" 0' -a 'api' -d 'Send a raw request with the profile\'s key, and print what comes back.'
complete -c petstore -n '__petstore_at "help" 0' -a 'sandbox' -d 'Look after the built-in store.'
complete -c petstore -n '__petstore_at "help" 0' -a 'serve' -d 'Run the animal store itself, for others to use.'
complete -c petstore -n '__petstore_at "help" 0' -a 'doctor' -d 'Check all that petstore needs, with at most one request; or what a store is like.'
complete -c petstore -n '__petstore_at "help" 0' -a 'completion' -d 'Print the completion script of a shell.'
complete -c petstore -n '__petstore_at "help" 0' -a 'help' -d 'Show the manual page of a command, or of a topic.'
complete -c petstore -n '__petstore_at "help" 0' -a 'exit-codes' -d 'what petstore ends with, and what a script can rely on'
complete -c petstore -n '__petstore_at "help" 0' -a 'environment' -d 'variables and settings that petstore obeys'
complete -c petstore -n '__petstore_at "help" 0' -a 'formats' -d 'output formats of petstore'
complete -c petstore -n '__petstore_at "help pets" 0' -a 'list' -d 'List the pets of the store, by ascending id.'
complete -c petstore -n '__petstore_at "help pets" 0' -a 'browse' -d 'Look through the pets of the store on a terminal.'
complete -c petstore -n '__petstore_at "help pets" 0' -a 'add' -d 'Add a pet to the store.'
complete -c petstore -n '__petstore_at "help pets" 0' -a 'get' -d 'Show one pet by its id (deprecated: the service removes this on 5 December 2030).'
complete -c petstore -n '__petstore_at "help pets" 0' -a 'import' -d 'Add the pets of a file, paced to the quota; run again, it goes on where it stopped.'
complete -c petstore -n '__petstore_at "help pets" 0' -a 'export' -d 'Write every pet to a file, as it comes.'
complete -c petstore -n '__petstore_at "help orders" 0' -a 'list' -d 'List the orders of the store, whatever shape they have (experimental).'
complete -c petstore -n '__petstore_at "help auth" 0' -a 'login' -d 'Verify an API key with one request, store it, and make its profile the current one.'
complete -c petstore -n '__petstore_at "help auth" 0' -a 'logout' -d 'Forget the key of a profile.'
complete -c petstore -n '__petstore_at "help auth" 0' -a 'status' -d 'Show which key would be used, and where it comes from, without sending a request.'
complete -c petstore -n '__petstore_at "help auth" 0' -a 'token' -d 'Print the key of a profile: the only command that does.'
complete -c petstore -n '__petstore_at "help profile" 0' -a 'list' -d 'List the profiles; the current one is marked.'
complete -c petstore -n '__petstore_at "help profile" 0' -a 'show' -d 'Show one profile.'
complete -c petstore -n '__petstore_at "help profile" 0' -a 'use' -d 'Make a profile the current one.'
complete -c petstore -n '__petstore_at "help profile" 0' -a 'set' -d 'Add a profile, or change the base URL and output format that it keeps.'
complete -c petstore -n '__petstore_at "help profile" 0' -a 'remove' -d 'Forget what a profile keeps, its key too; a built-in profile stays, empty.'
complete -c petstore -n '__petstore_at "help config" 0' -a 'list' -d 'List the settings in force.'
complete -c petstore -n '__petstore_at "help config" 0' -a 'get' -d 'Show one setting.'
complete -c petstore -n '__petstore_at "help config" 0' -a 'set' -d 'Keep a setting.'
complete -c petstore -n '__petstore_at "help config" 0' -a 'unset' -d 'Forget a kept setting.'
complete -c petstore -n '__petstore_at "help config" 0' -a 'path' -d 'Print where the settings are kept.'
complete -c petstore -n '__petstore_at "help sandbox" 0' -a 'status' -d 'Show where the data of the sandbox lies, and its plan.'
complete -c petstore -n '__petstore_at "help sandbox" 0' -a 'plan' -d 'Change the limits of the sandbox; its pets stay.'
complete -c petstore -n '__petstore_at "help sandbox" 0' -a 'reset' -d 'Put the sample animals back and start the quota anew.'
complete -c petstore -n '__petstore_at "help serve" 0' -a 'keys' -d 'Look after the API keys of the store.'
complete -c petstore -n '__petstore_at "help serve keys" 0' -a 'create' -d 'Create an API key, and show it this once.'
complete -c petstore -n '__petstore_at "help serve keys" 0' -a 'list' -d 'List the API keys, with what each has left.'
complete -c petstore -n '__petstore_at "help serve keys" 0' -a 'revoke' -d 'Revoke an API key: who uses it is refused from then on.'
