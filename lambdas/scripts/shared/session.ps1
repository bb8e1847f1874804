# How every command runs: strict, alone on the machine, with its one request, ending in one line of JSON.
# No process that could outlive the command is started: at a timeout the agent ends this process alone.
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
# Windows PowerShell 5.1 offers old versions of TLS first.
[Net.ServicePointManager]::SecurityProtocol = [Net.SecurityProtocolType]::Tls12

$CasementHome = Join-Path $env:SystemDrive 'Casement'

# The line is plain ASCII and short: the console's code page cannot spoil it, the agent's limit cannot cut it.
function Write-Result($result) {
    $line = $result | ConvertTo-Json -Compress -Depth 6
    [Console]::Out.WriteLine(($line -replace '[^\x20-\x7e]', '?'))
}

function Get-ErrorText($record) {
    $text = ($record.Exception.Message -replace '\s+', ' ').Trim()
    if ($text.Length -gt 500) { return $text.Substring(0, 500) }
    return $text
}

# The request arrives as base64 because its alphabet can end no string and call no command.
function Read-Request([string] $request) {
    if (-not $request -or $request -notmatch '^[A-Za-z0-9+/=]+$') { throw 'the request is not base64' }
    return [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($request)) | ConvertFrom-Json
}

# A command that was sent for a machine which was off must not run hours later.
function Assert-Fresh([long] $notAfter) {
    $late = [DateTimeOffset]::UtcNow.ToUnixTimeSeconds() - $notAfter
    if ($late -gt 0) { throw "this request expired $late seconds ago" }
}

# The agent runs up to five commands at once; ours run one at a time. A run that was killed leaves the mutex abandoned.
function Enter-Machine {
    $mutex = New-Object Threading.Mutex $false, 'Global\casement'
    try { $held = $mutex.WaitOne(30000) } catch [Threading.AbandonedMutexException] { $held = $true }
    if (-not $held) { throw 'another command of Casement is running on this machine' }
    return $mutex
}

function Test-Has($object, [string] $name) {
    return $null -ne $object -and $null -ne $object.PSObject.Properties[$name]
}
