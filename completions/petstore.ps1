# petstore completion for PowerShell: see petstore help completion
Register-ArgumentCompleter -Native -CommandName 'petstore' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # Place (* for all), kind, name, what its value is, purpose.
    $table = @(
        @('*', 'flag', '-p', '@profile', 'environment to use'),
        @('*', 'flag', '--profile', '@profile', 'environment to use'),
        @('*', 'flag', '--base-url', '@nothing', 'service to use in place of the profile''s'),
        @('*', 'flag', '-o', 'table json ndjson yaml csv tsv', 'table, json, ndjson, yaml, csv, tsv'),
        @('*', 'flag', '--output', 'table json ndjson yaml csv tsv', 'table, json, ndjson, yaml, csv, tsv'),
        @('*', 'flag', '--json', '', 'the same as --output json'),
        @('*', 'flag', '--jq', '@nothing', 'filter the JSON with a jq program'),
        @('*', 'flag', '--fields', '@nothing', 'keys to show and their order, such as id,name'),
        @('*', 'flag', '--no-header', '', 'no header row in table, csv and tsv'),
        @('*', 'flag', '--no-input', '', 'never ask; fail and name the flag that answers'),
        @('*', 'flag', '-y', '', 'answer confirmations with yes'),
        @('*', 'flag', '--yes', '', 'answer confirmations with yes'),
        @('*', 'flag', '-q', '', 'no quota line, notices, warnings or progress'),
        @('*', 'flag', '--quiet', '', 'no quota line, notices, warnings or progress'),
        @('*', 'flag', '-v', '', 'show each request and answer on stderr, without secrets'),
        @('*', 'flag', '--verbose', '', 'show each request and answer on stderr, without secrets'),
        @('*', 'flag', '--debug', '', 'show stack traces too'),
        @('*', 'flag', '--timeout', '@nothing', 'one deadline for each request, its body included (default: 30)'),
        @('*', 'flag', '--max-wait', '@nothing', 'longest wait for the quota; 0 never waits (default: 60)'),
        @('*', 'flag', '--color', 'auto always never', 'auto, always, never'),
        @('*', 'flag', '--no-color', '', 'the same as --color never'),
        @('*', 'flag', '-V', '', 'print the version'),
        @('*', 'flag', '--version', '', 'print the version'),
        @('*', 'flag', '-h', '', 'show this help'),
        @('*', 'flag', '--help', '', 'show this help'),
        @('', 'command', 'pets', '', 'List, browse, add, show, import and export pets.'),
        @('', 'command', 'orders', '', 'List store orders (experimental).'),
        @('', 'command', 'auth', '', 'Keep the API keys of profiles.'),
        @('', 'command', 'profile', '', 'Switch between environments.'),
        @('', 'command', 'config', '', 'Keep settings.'),
        @('', 'command', 'quota', '', 'Show how many requests are left, from what the service last said.'),
        @('', 'command', 'api', '', 'Send a raw request with the profile''s key, and print what comes back.'),
        @('', 'command', 'sandbox', '', 'Look after the built-in store.'),
        @('', 'command', 'serve', '', 'Run the animal store itself, for others to use.'),
        @('', 'command', 'doctor', '', 'Check all that petstore needs, with at most one request; or what a store is like.'),
        @('', 'command', 'completion', '', 'Print the completion script of a shell.'),
        @('', 'command', 'help', '', 'Show the manual page of a command, or of a topic.'),
        @('pets', 'command', 'list', '', 'List the pets of the store, by ascending id.'),
        @('pets', 'command', 'browse', '', 'Look through the pets of the store on a terminal.'),
        @('pets', 'command', 'add', '', 'Add a pet to the store.'),
        @('pets', 'command', 'get', '', 'Show one pet by its id (deprecated: the service removes this on 5 December 2030).'),
        @('pets', 'command', 'import', '', 'Add the pets of a file, paced to the quota; run again, it goes on where it stopped.'),
        @('pets', 'command', 'export', '', 'Write every pet to a file, as it comes.'),
        @('pets list', 'flag', '--status', 'available pending sold', 'only pets with this status: available, pending, sold'),
        @('pets list', 'flag', '--limit', '@nothing', 'pets in one request, 1 to 100 (the service''s default: 20)'),
        @('pets list', 'flag', '--all', '', 'follow the service to the last page (100 pets a request)'),
        @('pets list', 'flag', '--watch', '', 'go on, and tell what comes, goes and changes (every 5 seconds unless told otherwise)'),
        @('pets list', 'flag', '--curl', '', 'print the request as a curl command, and send nothing'),
        @('pets add', 'flag', '--name', '@nothing', 'its name'),
        @('pets add', 'flag', '--category-id', '@nothing', 'the category it belongs to, a 64-bit whole number'),
        @('pets add', 'flag', '--status', 'available pending sold', 'available, pending, sold'),
        @('pets add', 'flag', '--from', '@file', 'read name, categoryId and status from a JSON file (- for stdin)'),
        @('pets add', 'flag', '--dry-run', '', 'show what would be sent, and send nothing'),
        @('pets add', 'flag', '--curl', '', 'print the request as a curl command, and send nothing'),
        @('pets get', 'argument', '0', '@nothing', 'petId'),
        @('pets get', 'flag', '--curl', '', 'print the request as a curl command, and send nothing'),
        @('pets import', 'argument', '0', '@file', 'file'),
        @('pets import', 'flag', '--format', 'csv json ndjson', 'csv, json, ndjson (default: what the name ends in, or what it looks like)'),
        @('pets import', 'flag', '--concurrency', '@nothing', 'requests at once (default: 8)'),
        @('pets import', 'flag', '--journal', '@file', 'where to write down what was sent (default: in the state directory)'),
        @('pets import', 'flag', '--rejects', '@file', 'keep rows that cannot be added there, and send the others'),
        @('pets import', 'flag', '--dry-run', '', 'check the rows, and send nothing'),
        @('pets export', 'argument', '0', '@file', 'file'),
        @('pets export', 'flag', '--status', 'available pending sold', 'only pets with this status: available, pending, sold'),
        @('pets export', 'flag', '--force', '', 'replace a file that is there'),
        @('pets export', 'flag', '--curl', '', 'print the request as a curl command, and send nothing'),
        @('orders', 'command', 'list', '', 'List the orders of the store, whatever shape they have (experimental).'),
        @('orders list', 'flag', '--curl', '', 'print the request as a curl command, and send nothing'),
        @('auth', 'command', 'login', '', 'Verify an API key with one request, store it, and make its profile the current one.'),
        @('auth', 'command', 'logout', '', 'Forget the key of a profile.'),
        @('auth', 'command', 'status', '', 'Show which key would be used, and where it comes from, without sending a request.'),
        @('auth', 'command', 'token', '', 'Print the key of a profile: the only command that does.'),
        @('auth login', 'flag', '--with-key', '', 'read the key from standard input'),
        @('auth login', 'flag', '--keyring', '', 'store it in the system keyring, where that works'),
        @('auth status', 'flag', '--check', '', 'send one request to see whether the service takes the key'),
        @('auth status', 'flag', '--curl', '', 'print the request as a curl command, and send nothing'),
        @('profile', 'command', 'list', '', 'List the profiles; the current one is marked.'),
        @('profile', 'command', 'show', '', 'Show one profile.'),
        @('profile', 'command', 'use', '', 'Make a profile the current one.'),
        @('profile', 'command', 'set', '', 'Add a profile, or change the base URL and output format that it keeps.'),
        @('profile', 'command', 'remove', '', 'Forget what a profile keeps, its key too; a built-in profile stays, empty.'),
        @('profile show', 'argument', '0', '@profile', 'name'),
        @('profile use', 'argument', '0', '@profile', 'name'),
        @('profile set', 'argument', '0', '@profile', 'name'),
        @('profile remove', 'argument', '0', '@profile', 'name'),
        @('config', 'command', 'list', '', 'List the settings in force.'),
        @('config', 'command', 'get', '', 'Show one setting.'),
        @('config', 'command', 'set', '', 'Keep a setting.'),
        @('config', 'command', 'unset', '', 'Forget a kept setting.'),
        @('config', 'command', 'path', '', 'Print where the settings are kept.'),
        @('config list', 'flag', '--sources', '', 'show where each value comes from'),
        @('config get', 'argument', '0', 'profile output color timeout max-wait input quiet accessible pager ledger', 'name'),
        @('config set', 'argument', '0', 'profile output color timeout max-wait input quiet accessible pager ledger', 'name'),
        @('config set', 'argument', '1', '@nothing', 'value'),
        @('config unset', 'argument', '0', 'profile output color timeout max-wait input quiet accessible pager ledger', 'name'),
        @('quota', 'flag', '--refresh', '', 'spend one request to know it now'),
        @('quota', 'flag', '--curl', '', 'print the request as a curl command, and send nothing'),
        @('api', 'argument', '0', '@nothing', 'path'),
        @('api', 'flag', '-X', 'GET HEAD POST PUT PATCH DELETE', 'GET, or POST where a body is given'),
        @('api', 'flag', '-f', '@nothing', 'a member of the body, as text (repeatable)'),
        @('api', 'flag', '-F', '@nothing', 'the same, where true, false, null, whole numbers and @file are what they say (repeatable)'),
        @('api', 'flag', '-H', '@nothing', 'a further header (repeatable)'),
        @('api', 'flag', '--input', '@file', 'send this file as the body (- for stdin)'),
        @('api', 'flag', '-i', '', 'print status and headers too'),
        @('api', 'flag', '--paginate', '', 'follow the links to the next pages, into one list'),
        @('api', 'flag', '--curl', '', 'print the request as a curl command, and send nothing'),
        @('sandbox', 'command', 'status', '', 'Show where the data of the sandbox lies, and its plan.'),
        @('sandbox', 'command', 'plan', '', 'Change the limits of the sandbox; its pets stay.'),
        @('sandbox', 'command', 'reset', '', 'Put the sample animals back and start the quota anew.'),
        @('sandbox plan', 'argument', '0', 'free pro business enterprise', 'plan'),
        @('sandbox reset', 'flag', '--plan', 'free pro business enterprise', 'free, pro, business, enterprise'),
        @('sandbox reset', 'flag', '--empty', '', 'without any animals'),
        @('serve', 'command', 'keys', '', 'Look after the API keys of the store.'),
        @('serve', 'flag', '--port', '@nothing', '0 for any free one (default: 4010)'),
        @('serve', 'flag', '--host', '@nothing', 'address to listen on (default: 127.0.0.1)'),
        @('serve', 'flag', '--allow-host', '@nothing', 'name that leads here, without port; may be given again'),
        @('serve', 'flag', '--metrics', '', 'answer GET /metrics, for Prometheus'),
        @('serve', 'flag', '--api-key-file', '@file', 'serve the API key in this file (default: one made at first start)'),
        @('serve', 'flag', '--database', '@file', 'or postgres://user@host/name; :memory: is forgotten (default: in the data directory)'),
        @('serve', 'flag', '--plan', 'free pro business enterprise', 'free, pro, business, enterprise'),
        @('serve', 'flag', '--per-minute', '@nothing', 'requests a minute, with --plan enterprise'),
        @('serve', 'flag', '--per-day', '@nothing', 'requests a day, with --plan enterprise'),
        @('serve', 'flag', '--latency', '@nothing', 'milliseconds that every answer takes longer'),
        @('serve', 'flag', '--fault', '@nothing', 'fail now and then: 503:0.05, reset:0.01, 429:0.1; seed:42 repeats the same ones; may be given again'),
        @('serve', 'flag', '--clock', '@nothing', 'live at another time, such as 2030-12-06 or 2030-12-04T23:59:50Z (UTC)'),
        @('serve keys', 'command', 'create', '', 'Create an API key, and show it this once.'),
        @('serve keys', 'command', 'list', '', 'List the API keys, with what each has left.'),
        @('serve keys', 'command', 'revoke', '', 'Revoke an API key: who uses it is refused from then on.'),
        @('serve keys create', 'flag', '--plan', 'free pro business enterprise', 'free, pro, business, enterprise'),
        @('serve keys create', 'flag', '--per-minute', '@nothing', 'requests a minute, with --plan enterprise'),
        @('serve keys create', 'flag', '--per-day', '@nothing', 'requests a day, with --plan enterprise'),
        @('serve keys create', 'flag', '--label', '@nothing', 'what the key is for, 1 to 100 characters'),
        @('serve keys create', 'flag', '--database', '@file', 'the one that petstore serve opens (default: in the data directory)'),
        @('serve keys list', 'flag', '--database', '@file', 'the one that petstore serve opens (default: in the data directory)'),
        @('serve keys revoke', 'argument', '0', '@nothing', 'key'),
        @('serve keys revoke', 'flag', '--database', '@file', 'the one that petstore serve opens (default: in the data directory)'),
        @('doctor', 'flag', '--contract', '', 'ask the service how it keeps the interface, with up to ten requests'),
        @('doctor', 'flag', '--write', '', 'with --contract: add a pet, too, to see whether it comes back as it was'),
        @('doctor', 'flag', '--curl', '', 'print the request as a curl command, and send nothing'),
        @('completion', 'argument', '0', 'bash zsh fish powershell', 'shell'),
        @('help', 'command', 'pets', '', 'List, browse, add, show, import and export pets.'),
        @('help', 'command', 'orders', '', 'List store orders (experimental).'),
        @('help', 'command', 'auth', '', 'Keep the API keys of profiles.'),
        @('help', 'command', 'profile', '', 'Switch between environments.'),
        @('help', 'command', 'config', '', 'Keep settings.'),
        @('help', 'command', 'quota', '', 'Show how many requests are left, from what the service last said.'),
        @('help', 'command', 'api', '', 'Send a raw request with the profile''s key, and print what comes back.'),
        @('help', 'command', 'sandbox', '', 'Look after the built-in store.'),
        @('help', 'command', 'serve', '', 'Run the animal store itself, for others to use.'),
        @('help', 'command', 'doctor', '', 'Check all that petstore needs, with at most one request; or what a store is like.'),
        @('help', 'command', 'completion', '', 'Print the completion script of a shell.'),
        @('help', 'command', 'help', '', 'Show the manual page of a command, or of a topic.'),
        @('help', 'command', 'exit-codes', '', 'what petstore ends with, and what a script can rely on'),
        @('help', 'command', 'environment', '', 'variables and settings that petstore obeys'),
        @('help', 'command', 'formats', '', 'output formats of petstore'),
        @('help pets', 'command', 'list', '', 'List the pets of the store, by ascending id.'),
        @('help pets', 'command', 'browse', '', 'Look through the pets of the store on a terminal.'),
        @('help pets', 'command', 'add', '', 'Add a pet to the store.'),
        @('help pets', 'command', 'get', '', 'Show one pet by its id (deprecated: the service removes this on 5 December 2030).'),
        @('help pets', 'command', 'import', '', 'Add the pets of a file, paced to the quota; run again, it goes on where it stopped.'),
        @('help pets', 'command', 'export', '', 'Write every pet to a file, as it comes.'),
        @('help orders', 'command', 'list', '', 'List the orders of the store, whatever shape they have (experimental).'),
        @('help auth', 'command', 'login', '', 'Verify an API key with one request, store it, and make its profile the current one.'),
        @('help auth', 'command', 'logout', '', 'Forget the key of a profile.'),
        @('help auth', 'command', 'status', '', 'Show which key would be used, and where it comes from, without sending a request.'),
        @('help auth', 'command', 'token', '', 'Print the key of a profile: the only command that does.'),
        @('help profile', 'command', 'list', '', 'List the profiles; the current one is marked.'),
        @('help profile', 'command', 'show', '', 'Show one profile.'),
        @('help profile', 'command', 'use', '', 'Make a profile the current one.'),
        @('help profile', 'command', 'set', '', 'Add a profile, or change the base URL and output format that it keeps.'),
        @('help profile', 'command', 'remove', '', 'Forget what a profile keeps, its key too; a built-in profile stays, empty.'),
        @('help config', 'command', 'list', '', 'List the settings in force.'),
        @('help config', 'command', 'get', '', 'Show one setting.'),
        @('help config', 'command', 'set', '', 'Keep a setting.'),
        @('help config', 'command', 'unset', '', 'Forget a kept setting.'),
        @('help config', 'command', 'path', '', 'Print where the settings are kept.'),
        @('help sandbox', 'command', 'status', '', 'Show where the data of the sandbox lies, and its plan.'),
        @('help sandbox', 'command', 'plan', '', 'Change the limits of the sandbox; its pets stay.'),
        @('help sandbox', 'command', 'reset', '', 'Put the sample animals back and start the quota anew.'),
        @('help serve', 'command', 'keys', '', 'Look after the API keys of the store.'),
        @('help serve keys', 'command', 'create', '', 'Create an API key, and show it this once.'),
        @('help serve keys', 'command', 'list', '', 'List the API keys, with what each has left.'),
        @('help serve keys', 'command', 'revoke', '', 'Revoke an API key: who uses it is refused from then on.')
    )

    # What the value of a flag is; nothing for a switch.
    $offerOf = {
        param($flag)
        foreach ($row in $table) {
            if ($row[1] -ceq 'flag' -and $row[2] -ceq $flag -and ($row[0] -ceq '*' -or $row[0] -ceq $place)) {
                return $row[3]
            }
        }
    }

    # Where in a word such as -qp the name of the flag that takes a value ends; -1 where none does.
    $endOfName = {
        param($word)
        for ($index = 1; $index -lt $word.Length; $index++) {
            if (& $offerOf ('-' + $word[$index])) { return $index }
        }
        return -1
    }

    # The names of profiles, those in the configuration file among them if it can be read.
    $profileNames = {
        try {
            $folder = $env:PETSTORE_CONFIG_DIR
            if (-not $folder -and $env:XDG_CONFIG_HOME -and [System.IO.Path]::IsPathRooted($env:XDG_CONFIG_HOME)) {
                $folder = [System.IO.Path]::Combine($env:XDG_CONFIG_HOME, 'petstore')
            }
            if (-not $folder -and $env:APPDATA -and $env:OS -eq 'Windows_NT') {
                $folder = [System.IO.Path]::Combine($env:APPDATA, 'petstore')
            }
            if (-not $folder) { $folder = [System.IO.Path]::Combine($HOME, '.config', 'petstore') }
            $path = [System.IO.Path]::Combine($folder, 'config.json')
            $file = Get-Item -LiteralPath $path -Force -ErrorAction Stop
            if ($file.Length -gt 0 -and $file.Length -le 16384) {
                $content = Get-Content -LiteralPath $path -Raw -ErrorAction Stop
                $kept = (ConvertFrom-Json -InputObject $content -ErrorAction Stop).profiles
                if ($kept -is [System.Management.Automation.PSCustomObject]) {
                    foreach ($property in $kept.PSObject.Properties) {
                        if ($property.Name -cmatch '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}\z') { $property.Name }
                    }
                }
            }
        } catch {
            # What cannot be read adds no names.
        }
    }

    $place = ''
    $count = 0
    $ended = $false
    $offer = ''
    for ($at = 1; $at -lt $commandAst.CommandElements.Count; $at++) {
        $element = $commandAst.CommandElements[$at]
        if ($element.Extent.EndOffset -ge $cursorPosition) { break }
        $word = $element.Extent.Text
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $word = $element.Value
        }
        if ($offer) {
            $offer = ''
        } elseif (-not $ended -and $word -ceq '--') {
            $ended = $true
        } elseif (-not $ended -and $word -cmatch '^--') {
            $offer = & $offerOf $word
        } elseif (-not $ended -and $word -cmatch '^-.') {
            $index = & $endOfName $word
            if ($index -eq $word.Length - 1) { $offer = & $offerOf ('-' + $word[$index]) }
        } else {
            $below = ''
            foreach ($row in $table) {
                if ($row[1] -ceq 'command' -and $row[0] -ceq $place -and $row[2] -ceq $word) {
                    $below = ($place + ' ' + $word).Trim()
                }
            }
            if ($below -and $count -eq 0) { $place = $below } else { $count++ }
        }
    }

    $typed = ([string]$wordToComplete) -replace '^[''"]', ''
    $prefix = ''
    $kind = ''
    if (-not $offer -and -not $ended -and $typed -cmatch '^(--[^=]+)=') {
        $prefix = $Matches[0]
        $offer = & $offerOf $Matches[1]
    } elseif (-not $offer -and -not $ended -and $typed -cmatch '^-') {
        $kind = 'flag'
        $index = & $endOfName $typed
        if ($typed -cnotmatch '^--' -and $index -gt 0 -and $index -lt $typed.Length - 1) {
            $kind = ''
            $prefix = $typed.Substring(0, $index + 1)
            $offer = & $offerOf ('-' + $typed[$index])
        }
    } elseif (-not $offer) {
        $kind = 'command'
        foreach ($row in $table) {
            if ($row[1] -ceq 'argument' -and $row[0] -ceq $place -and $row[2] -ceq [string]$count) {
                $kind = ''
                $offer = $row[3]
            }
        }
    }
    $typed = $typed.Substring($prefix.Length)

    # Without an answer PowerShell offers files.
    if ($offer -ceq '@file' -and -not $prefix) { return }
    if ($offer -ceq '@file') {
        foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($typed)) {
            [System.Management.Automation.CompletionResult]::new(
                $prefix + $file.CompletionText, $file.ListItemText, $file.ResultType, $file.ToolTip)
        }
        return
    }

    $found = $false
    foreach ($row in $table) {
        if (-not $kind -or $row[1] -cne $kind) { continue }
        if ($row[0] -cne $place -and $row[0] -cne '*') { continue }
        if ($kind -ceq 'command' -and $count -gt 0) { continue }
        if (-not $row[2].StartsWith($typed, [System.StringComparison]::Ordinal)) { continue }
        $found = $true
        [System.Management.Automation.CompletionResult]::new($row[2], $row[2], 'ParameterValue', $row[4])
    }
    $values = @()
    if ($offer -ceq '@profile') {
        $values = @('sandbox', 'staging', 'production') + @(& $profileNames) | Select-Object -Unique
    } elseif ($offer -and $offer -cne '@nothing') {
        $values = $offer -split ' '
    }
    foreach ($value in $values) {
        if (-not $value.StartsWith($typed, [System.StringComparison]::Ordinal)) { continue }
        $found = $true
        [System.Management.Automation.CompletionResult]::new($prefix + $value, $value, 'ParameterValue', $value)
    }
    # An empty answer keeps PowerShell from offering files instead.
    if (-not $found) { '' }
}
