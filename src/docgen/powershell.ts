import { builtInProfiles } from '../config/profile.js';
import type { Outline } from './outline.js';
import { bytesRead, codeOf, type Flag, globalFlagsOf, placesOf } from './places.js';

/** The completion script for PowerShell, Windows PowerShell 5.1 among them. */
export function powershell(outline: Outline): string {
  const rows = [
    ...globalFlagsOf(outline).flatMap((flag) => flagRows('*', flag)),
    ...placesOf(outline).flatMap(({ words, commands, arguments: values, flags }) => {
      const place = words.join(' ');
      return [
        ...commands.map(({ name, purpose }) => [place, 'command', name, '', purpose]),
        ...values.map(({ term, offer }, index) => [
          place,
          'argument',
          String(index),
          codeOf(offer),
          term,
        ]),
        ...flags.flatMap((flag) => flagRows(place, flag)),
      ];
    }),
  ];
  return `# petstore completion for PowerShell: see petstore help completion
Register-ArgumentCompleter -Native -CommandName 'petstore' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # Place (* for all), kind, name, what its value is, purpose.
    $table = @(
${rows.map((row) => `        @(${row.map(quote).join(', ')})`).join(',\n')}
    )
${engine}`;
}

function flagRows(place: string, { names, purpose, value }: Flag): readonly (readonly string[])[] {
  return names.map((name) => [place, 'flag', name, value ? codeOf(value.offer) : '', purpose]);
}

/** PowerShell takes typographic quotes for plain ones. */
function quote(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}

/** The part that knows no command. Nothing in it evaluates what was typed or what a file holds. */
const engine = String.raw`
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
            if ($file.Length -gt 0 -and $file.Length -le @BYTES@) {
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
        $values = @(@BUILTIN@) + @(& $profileNames) | Select-Object -Unique
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
`
  .replace('@BYTES@', String(bytesRead))
  .replace('@BUILTIN@', builtInProfiles.map(quote).join(', '));
