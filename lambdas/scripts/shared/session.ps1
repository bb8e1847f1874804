# AppLocker or App Control may restrict PowerShell for unsigned scripts; then nothing below can work.
if ("$($ExecutionContext.SessionState.LanguageMode)" -ne 'FullLanguage') {
    Write-Error "PowerShell runs in $($ExecutionContext.SessionState.LanguageMode) mode on this machine, by AppLocker or App Control: Casement's scripts need FullLanguage" -ErrorAction Continue
    exit 90
}

# Every command runs in strict mode, one at a time on the machine, and ends with one line of JSON.
# It starts no process that could outlive it: at a timeout the agent ends only this process.
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
# Warnings go to the output, of which SSM keeps the first 24,000 characters: they could cost the result line.
$WarningPreference = 'SilentlyContinue'
# Windows PowerShell 5.1 offers old versions of TLS first.
[Net.ServicePointManager]::SecurityProtocol = [Net.SecurityProtocolType]::Tls12

$CasementHome = Join-Path $env:SystemDrive 'Casement'

# A list of many machines shows the first 2,500 characters of each output (API reference, CommandPlugin), and the agent
# cuts earlier: a line that is read from such a list must be shorter than this.
$MostCharacters = 2400

# The line is plain ASCII, which every console code page keeps; JSON escapes all other characters.
function Get-ResultLine($result) {
    $line = $result | ConvertTo-Json -Compress -Depth 6
    return [regex]::Replace($line, '[^\x20-\x7e]', { param($found) '\u{0:x4}' -f [int] $found.Value[0] })
}

function Write-Result($result) {
    [Console]::Out.WriteLine((Get-ResultLine $result))
}

# The request is base64, whose characters cannot end a string or call a command.
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

# A command for a machine that was off must not run hours later. A command from the future shows that this clock is
# behind, so certificates and signatures would fail.
function Assert-Fresh($asked) {
    $now = [DateTimeOffset]::UtcNow.ToUnixTimeSeconds()
    $clock = "the clock of this machine says $(Get-TimeText $now)"
    if ($now -gt $asked.notAfter) { throw (New-Fault 'clock-wrong' "this request expired at $(Get-TimeText $asked.notAfter), and $clock") }
    if ((Test-Has $asked 'madeAt') -and $asked.madeAt - $now -gt 300) {
        throw (New-Fault 'clock-wrong' "this request was made at $(Get-TimeText $asked.madeAt), but $clock")
    }
}

# The agent runs up to five commands together; Casement's run one at a time. A killed run abandons the mutex.
function Enter-Machine {
    $mutex = New-Object Threading.Mutex $false, 'Global\casement'
    try { $held = $mutex.WaitOne(30000) } catch [Threading.AbandonedMutexException] { $held = $true }
    if (-not $held) { throw 'another command of Casement is running on this machine' }
    return $mutex
}

function Test-Has($object, [string] $name) {
    return $null -ne $object -and $null -ne $object.PSObject.Properties[$name]
}
