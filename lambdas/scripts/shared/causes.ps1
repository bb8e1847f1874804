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

# A failure is found by its code: its words are Windows' own, in the machine's language.
function New-Fault([string] $code, [string] $words) {
    $fault = New-Object Exception $words
    $fault.Data['code'] = $code
    return $fault
}

# ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL, RPC_S_SERVER_UNAVAILABLE (winerror.h).
$ErrorCodes = @{ '80070070' = 'disk-full'; '80070027' = 'disk-full'; '800706ba' = 'wmi-broken' }

# Empty for what has no code. Errors of WMI show their HRESULT in the error's id alone.
function Get-ErrorCode($record) {
    if ("$($record.FullyQualifiedErrorId)" -match '^HRESULT 0x([0-9a-f]{8})') { return "$($ErrorCodes[$Matches[1]])" }
    for ($found = $record.Exception; $found; $found = $found.InnerException) {
        $code = $found.Data['code']
        if (-not $code) { $code = $ErrorCodes[('{0:x8}' -f $found.HResult)] }
        if ($code) { return $code }
    }
    return ''
}

# Writes into a result what failed; where it has no code, there is no such field.
function Add-Failure($result, $record) {
    $result.error = Get-ErrorText $record
    $code = Get-ErrorCode $record
    if ($code) { $result.code = $code }
    return $result
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
