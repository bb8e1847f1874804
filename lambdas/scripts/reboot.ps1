# casement-script: reboot
#
# Reboots the machine through the SSM agent: exit code 3010 makes the agent reboot and run this script again after the
# boot; the second run reports the evidence. A marker of operation and boot id ensures exactly one reboot: if the
# script runs again without a boot in between (the agent was restarted), it fails and does not request another.
#
# The script refuses to reboot unless the guard of the metadata route works: after a reboot without the route, no
# command would reach this machine again.
[CmdletBinding()]
param([string] $Request = '{{ Request }}')

# include: shared/session.ps1

# include: shared/causes.ps1

# include: shared/text.ps1

# include: shared/metadata.ps1

# include: shared/identity.ps1

function Assert-Guard {
    $guard = Get-GuardState
    $faults = @(
        if (-not $guard.present) { 'its script is missing' }
        if (-not $guard.taskEnabled) { 'its task is missing or disabled' }
        if ($guard.lastResult -ne 0) { "its last result is $($guard.lastResult) $($guard.error)".Trim() }
        if ($guard.paths -ne 1) { "it sees $($guard.paths) paths" }
        if (-not (Get-MetadataToken)) { 'the metadata service does not answer' }
    )
    if ($faults.Count -gt 0) { throw (New-Fault 'guard-not-in-order' "no reboot without the guard of the metadata route: $($faults -join ', ')") }
}

# PowerShell 7 reads a time in JSON as a date, Windows PowerShell as text.
function Get-BootText($id) {
    if ($id -is [DateTime]) { return $id.ToUniversalTime().ToString('o') }
    return "$id"
}

function Get-BootTime([string] $id) {
    $time = [DateTimeOffset]::MinValue
    if ([DateTimeOffset]::TryParse($id, [Globalization.CultureInfo]::InvariantCulture, [Globalization.DateTimeStyles]::AssumeUniversal, [ref] $time)) { return $time }
    return $null
}

# Where Windows counts no boots, an id is the time of the boot, which Windows computes again after its clock is set:
# within five minutes it is the same boot. A number and a time cannot be compared, so no reboot is proven by them.
function Test-SameBoot([string] $one, [string] $other) {
    if ($one.Contains('T') -ne $other.Contains('T')) { return $true }
    if (-not $one.Contains('T')) { return $one -ceq $other }
    $times = @((Get-BootTime $one), (Get-BootTime $other))
    return $null -ne $times[0] -and $null -ne $times[1] -and [Math]::Abs(($times[0] - $times[1]).TotalMinutes) -le 5
}

# The seconds since the boot. Windows moves the time of the boot with its clock, so setting the clock does not change them.
function Get-UpSeconds {
    $booted = (Get-CimInstance -ClassName Win32_OperatingSystem).LastBootUpTime.ToUniversalTime()
    return [long] [Math]::Floor(([DateTime]::UtcNow - $booted).TotalSeconds)
}

# The marker, if this operation has requested a reboot of this boot. An unreadable one is ignored: otherwise it would
# block reboots.
function Get-Asked([string] $marker, $wanted) {
    try {
        $asked = Get-Content -LiteralPath $marker -Raw | ConvertFrom-Json
        if ($asked.operation -ceq $wanted.operation -and (Test-SameBoot (Get-BootText $asked.bootId) (Get-BootText $wanted.bootId))) { return $asked }
    } catch {
        return $null
    }
}

# Has the machine booted since the look before? Two boots within five minutes look the same by their times, but a machine
# that is up for less time than when it was asked has booted.
function Test-Booted([string] $before, [string] $after, $asked) {
    if (-not (Test-SameBoot $before $after)) { return $true }
    return $asked -and (Test-Has $asked 'upSeconds') -and (Get-UpSeconds) -lt $asked.upSeconds
}

function Get-Evidence([string] $before, [string] $after, [bool] $ok) {
    return [ordered] @{ script = 'reboot'; ok = $ok; bootIdBefore = $before; bootIdAfter = $after; error = $null }
}

# Writes the marker and returns, or throws; the caller then exits 3010.
function Request-Reboot($wanted, [string] $marker, $asked) {
    if ($asked) { throw (New-Fault 'reboot-not-happened' 'the reboot was asked for before and did not happen') }
    Assert-Fresh $wanted
    Assert-Guard
    $kept = [ordered] @{ operation = $wanted.operation; bootId = Get-BootText $wanted.bootId }
    if ($kept.bootId.Contains('T')) { $kept.upSeconds = Get-UpSeconds }
    Save-Text $marker ($kept | ConvertTo-Json -Compress)
}

$before = ''
$after = ''
try {
    $mutex = Enter-Machine
    $wanted = Read-Request $Request
    $before = Get-BootText $wanted.bootId
    $after = Get-BootId
    $marker = Join-Path $CasementHome 'reboot.json'
    $asked = Get-Asked $marker $wanted
    if (Test-Booted $before $after $asked) {
        Write-Result (Get-Evidence $before $after $true)
        exit 0
    }
    Request-Reboot $wanted $marker $asked
    exit 3010
} catch {
    Write-Result (Add-Failure (Get-Evidence $before $after $false) $_)
    exit 1
}
