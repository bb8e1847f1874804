# Windows runs unsigned scripts with half of PowerShell where AppLocker or App Control says so; nothing below could work.
if ("$($ExecutionContext.SessionState.LanguageMode)" -ne 'FullLanguage') {
    Write-Error "PowerShell runs in $($ExecutionContext.SessionState.LanguageMode) mode on this machine, by AppLocker or App Control: Casement's scripts need FullLanguage" -ErrorAction Continue
    exit 90
}

# How every command runs: strict, alone on the machine, with its one request, ending in one line of JSON.
# No process that could outlive the command is started: at a timeout the agent ends this process alone.
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
# Warnings go to the output, of which SSM keeps the first 24,000 characters: they could cost the result line.
$WarningPreference = 'SilentlyContinue'
# Windows PowerShell 5.1 offers old versions of TLS first.
[Net.ServicePointManager]::SecurityProtocol = [Net.SecurityProtocolType]::Tls12

$CasementHome = Join-Path $env:SystemDrive 'Casement'

# A list of many machines shows the first 2,500 characters of each one's output (API reference, CommandPlugin), and the agent
# cuts before that: a line that others read in such a list keeps below this.
$MostCharacters = 2400

# The line is plain ASCII, which no code page of a console can spoil; JSON has a spelling for everything else.
function Get-ResultLine($result) {
    $line = $result | ConvertTo-Json -Compress -Depth 6
    return [regex]::Replace($line, '[^\x20-\x7e]', { param($found) '\u{0:x4}' -f [int] $found.Value[0] })
}

function Write-Result($result) {
    [Console]::Out.WriteLine((Get-ResultLine $result))
}

# The request arrives as base64 because its alphabet can end no string and call no command.
function Read-Request([string] $request) {
    if (-not $request -or $request -notmatch '^[A-Za-z0-9+/=]+$') { throw 'the request is not base64' }
    $asked = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($request)) | ConvertFrom-Json
    if ($asked -isnot [Management.Automation.PSCustomObject]) { throw 'the request is not a JSON object' }
    return $asked
}

function Get-TimeText([long] $seconds) {
    $time = [DateTimeOffset]::FromUnixTimeSeconds($seconds).UtcDateTime
    return $time.ToString('yyyy-MM-dd HH:mm:ss', [Globalization.CultureInfo]::InvariantCulture) + ' UTC'
}

# A command that was sent for a machine which was off must not run hours later. One that is from the future shows that
# this clock is behind: certificates and signatures would fail by it.
function Assert-Fresh($asked) {
    $now = [DateTimeOffset]::UtcNow.ToUnixTimeSeconds()
    $clock = "the clock of this machine says $(Get-TimeText $now)"
    if ($now -gt $asked.notAfter) { throw (New-Fault 'clock-wrong' "this request expired at $(Get-TimeText $asked.notAfter), and $clock") }
    if ((Test-Has $asked 'madeAt') -and $asked.madeAt - $now -gt 300) {
        throw (New-Fault 'clock-wrong' "this request was made at $(Get-TimeText $asked.madeAt), but $clock")
    }
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
