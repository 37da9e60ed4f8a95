# petstore completion for PowerShell: see petstore help completion
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
    $text = -join ($words | ForEach-Object { "`0" + $_ })
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
        $value, $description = $line -split "`t", 2
        if (-not $description) { $description = $value }
        $quoted = $value
        if ($value -cnotmatch '^[\w./:=+-]+$') { $quoted = "'" + ($value -replace "['\u2018-\u201b]", '$0$0') + "'" }
        [System.Management.Automation.CompletionResult]::new($quoted, $value, 'ParameterValue', $description)
    }
}
