# casement-script: take-route-away
#
# Tests the guard of the metadata route: removes the route, as HNS does, and waits until the guard restores it. An
# administrator sends it by AWS-RunPowerShellScript to a machine that `npm run acceptance` has added; no function of
# Casement may. If the guard is too slow, this script restores the route, so that the machine stays reachable.
#
# The last line is JSON: ok, seconds until the route was restored, by whom, PowerShell's start time in seconds.
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
$WarningPreference = 'SilentlyContinue'

$Prefix = '169.254.169.254/32'
$WaitSeconds = 150
# The guard writes its record after EC2Launch has stopped and the agent was checked.
$RecordSeconds = 20
# Schedules send commands to a new node as well; the longest of them replace a few files.
$MutexSeconds = 90
$Folder = Join-Path $env:SystemDrive 'Casement'
$StateFile = Join-Path $Folder 'guard.json'

# The guard's number of repairs; -1 while its record cannot be read.
function Get-RepairCount {
    try {
        return [int] (Get-Content -LiteralPath $StateFile -Raw | ConvertFrom-Json).repairs
    } catch {
        return -1
    }
}

function Get-MetadataRoute {
    return @(Get-NetRoute -DestinationPrefix $Prefix -PolicyStore ActiveStore -ErrorAction SilentlyContinue)
}

# Time in which Windows PowerShell starts on this machine, as it must for the guard.
function Measure-PowerShell {
    $program = Join-Path $PSHOME 'powershell.exe'
    $watch = [Diagnostics.Stopwatch]::StartNew()
    & $program -NoProfile -NonInteractive -Command 'exit' | Out-Null
    return $watch.Elapsed.TotalSeconds
}

function Assert-Guard {
    if (-not (Test-Path -LiteralPath (Join-Path $Folder 'guard.ps1'))) { throw 'the guard of the metadata route is not on this machine' }
    $task = Get-ScheduledTask -TaskName 'Casement guard' -ErrorAction SilentlyContinue
    if (-not $task -or "$($task.State)" -eq 'Disabled') { throw 'the task of the guard is missing or disabled' }
}

function Wait-Until([scriptblock] $isDone, [int] $seconds) {
    $watch = [Diagnostics.Stopwatch]::StartNew()
    while (-not (& $isDone)) {
        if ($watch.Elapsed.TotalSeconds -ge $seconds) { return $false }
        Start-Sleep -Seconds 1
    }
    return $true
}

function Restore-Route($routes) {
    foreach ($route in $routes) {
        New-NetRoute -DestinationPrefix $Prefix -InterfaceIndex $route.InterfaceIndex -NextHop $route.NextHop -RouteMetric $route.RouteMetric -PolicyStore ActiveStore | Out-Null
    }
}

$result = @{ script = 'take-route-away'; ok = $false; seconds = 0; by = 'none'; powershellSeconds = 0; error = '' }
$mutex = New-Object Threading.Mutex $false, 'Global\casement'
$held = $false
$found = @()
try {
    # While it is held, no command of Casement begins, and the guard does not restart the agent that runs this script.
    try { $held = $mutex.WaitOne($MutexSeconds * 1000) } catch [Threading.AbandonedMutexException] { $held = $true }
    if (-not $held) { throw 'another command of Casement is running on this machine' }
    Assert-Guard
    $result.powershellSeconds = Measure-PowerShell
    $found = Get-MetadataRoute
    if ($found.Count -eq 0) { throw 'the route to the metadata service is missing already' }
    $before = Get-RepairCount
    $watch = [Diagnostics.Stopwatch]::StartNew()
    foreach ($route in $found) {
        Remove-NetRoute -DestinationPrefix $Prefix -InterfaceIndex $route.InterfaceIndex -NextHop $route.NextHop -PolicyStore ActiveStore -Confirm:$false
    }
    $isBack = Wait-Until { (Get-MetadataRoute).Count -gt 0 } $WaitSeconds
    $result.seconds = [Math]::Round($watch.Elapsed.TotalSeconds, 1)
    if (-not $isBack) { throw "the guard did not put the route back within $WaitSeconds seconds" }
    $isCounted = Wait-Until { (Get-RepairCount) -gt $before } $RecordSeconds
    if (-not $isCounted) { throw 'the route is back, and the guard has counted no repair' }
    $result.by = 'guard'
    $result.ok = $true
} catch {
    $result.error = "$($_.Exception.Message)"
} finally {
    if ($found.Count -gt 0 -and (Get-MetadataRoute).Count -eq 0) {
        try { Restore-Route $found; $result.by = 'script' } catch { $result.error = "$($result.error); it could not be put back: $($_.Exception.Message)" }
    }
    if ($held) { $mutex.ReleaseMutex() }
}
[Console]::Out.WriteLine(($result | ConvertTo-Json -Compress))
if ($result.ok) { exit 0 }
exit 1
