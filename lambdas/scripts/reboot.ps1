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

# True if this operation has requested a reboot since the last boot. An unreadable marker is ignored: otherwise it
# would block reboots.
function Test-Asked([string] $marker, $wanted) {
    try {
        $asked = Get-Content -LiteralPath $marker -Raw | ConvertFrom-Json
        return $asked.operation -ceq $wanted.operation -and (Test-SameBoot (Get-BootText $asked.bootId) (Get-BootText $wanted.bootId))
    } catch {
        return $false
    }
}

function Get-Evidence([string] $before, [string] $after, [bool] $ok) {
    return [ordered] @{ script = 'reboot'; ok = $ok; bootIdBefore = $before; bootIdAfter = $after; error = $null }
}

# Writes the marker and returns, or throws; the caller then exits 3010.
function Request-Reboot($wanted) {
    $marker = Join-Path $CasementHome 'reboot.json'
    if (Test-Asked $marker $wanted) { throw (New-Fault 'reboot-not-happened' 'the reboot was asked for before and did not happen') }
    Assert-Fresh $wanted
    Assert-Guard
    Save-Text $marker ([ordered] @{ operation = $wanted.operation; bootId = Get-BootText $wanted.bootId } | ConvertTo-Json -Compress)
}

$before = ''
$after = ''
try {
    $mutex = Enter-Machine
    $wanted = Read-Request $Request
    $before = Get-BootText $wanted.bootId
    $after = Get-BootId
    if (-not (Test-SameBoot $before $after)) {
        Write-Result (Get-Evidence $before $after $true)
        exit 0
    }
    Request-Reboot $wanted
    exit 3010
} catch {
    Write-Result (Add-Failure (Get-Evidence $before $after $false) $_)
    exit 1
}
