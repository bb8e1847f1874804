# Why something failed, in words that people may read: one line, bounded, without what looks like a secret.
$Hidden = '[hidden]'
$SecretPatterns = @(
    '-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)',
    # A JSON Web Token, a bootstrap token of Kubernetes, the id of an AWS key.
    'eyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*)*',
    '\b[a-z0-9]{6}\.[a-z0-9]{16}\b',
    '\b(AKIA|ASIA)[A-Z0-9]{16}\b',
    '(?i:(?<=\b(bearer|basic)\s+)[A-Za-z0-9+/=_.~-]{8,})',
    '(?i:(?<=(token|password|passwd|secret|api[-_]?key|access[-_]?key|key-data|authorization)["'']?\s*[:=]\s*["'']?)[^\s"'',;}]+)',
    '(?<=://[^/\s:@]+:)[^@/\s]+(?=@)',
    # Long base64; a sha256 in hexadecimal is none.
    '(?<![A-Za-z0-9+/])(?![0-9a-f]{64}\b)[A-Za-z0-9+/]{60,}={0,2}'
)

function Hide-Secrets([string] $text) {
    foreach ($pattern in $SecretPatterns) { $text = $text -creplace $pattern, $Hidden }
    return $text
}

# PowerShell wraps what .NET throws in "Exception calling ...", and .NET wraps Windows' own words again.
function Get-Reason($exception) {
    while ($exception.InnerException -and $exception -is [Management.Automation.MethodInvocationException]) { $exception = $exception.InnerException }
    $words = $exception.Message
    if ($exception.InnerException -is [ComponentModel.Win32Exception]) { $words += " $($exception.InnerException.Message)." }
    return $words
}

# The line is told where the words are PowerShell's: they do not say what was being done.
function Get-ErrorText($record) {
    $words = Get-Reason $record.Exception
    if ($record.Exception -is [Management.Automation.PropertyNotFoundException]) { $words += " (line $($record.InvocationInfo.ScriptLineNumber))" }
    $text = ((Hide-Secrets $words) -replace '\s+', ' ').Trim()
    if ($text.Length -gt 1000) { return $text.Substring(0, 1000) }
    return $text
}

# The last lines of a program's log, in one line; empty when there are none.
function Get-LogTail([string] $path) {
    if (-not $path -or -not (Test-Path -LiteralPath $path -PathType Leaf)) { return '' }
    $lines = @(Get-Content -LiteralPath $path -Tail 5 -Encoding UTF8 -ErrorAction SilentlyContinue)
    $text = ((Hide-Secrets ($lines -join "`n")) -replace '\s+', ' ').Trim()
    if ($text.Length -gt 600) { $text = '...' + $text.Substring($text.Length - 600) }
    return $text
}

# The error that a task of Casement keeps in its record; empty when there is none, or it cannot be read.
function Get-RecordedError([string] $path) {
    try {
        return "$((Get-Content -LiteralPath $path -Raw | ConvertFrom-Json).error)"
    } catch {
        return ''
    }
}
