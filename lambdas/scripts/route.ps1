# casement-script: route
#
# Installs or removes the guard of the metadata route, and can do nothing else: with this document Casement changes
# machines that it did not launch. It contains the guard's text, so that the machine needs no right to the bucket.
# It first records the state before the change; the removal restores exactly that.
[CmdletBinding()]
param([string] $Request = '{{ Request }}')

# include: shared/session.ps1

# include: shared/causes.ps1

# include: shared/text.ps1

# include: shared/events.ps1

# include: shared/files.ps1

# include: shared/recovery.ps1

# include: shared/tasks.ps1

# embed: guard.ps1 as Guard

$GuardTask = 'Casement guard'
$NetworkTask = 'Casement network'
$Agent = 'AmazonSSMAgent'
$GuardPath = Join-Path $CasementHome 'guard.ps1'
$BeforePath = Join-Path $CasementHome 'before.json'

$Outcome = [ordered] @{ script = 'route'; ok = $false; changed = @(); failed = $null }

# Neither a service's recovery nor the guard's file requires a reboot or a restart.
function Set-RebootDue { }
function Set-RestartDue([string] $path) { Write-Verbose "$path is used by no service" }

function Add-Change([string] $words, [bool] $changed) {
    if ($changed) { $Outcome.changed += $words }
}

function Test-Task([string] $name) {
    return [bool] (Get-ScheduledTask -TaskName $name -ErrorAction SilentlyContinue)
}

# The agent's recovery in sc.exe's form. Each pair of the structure is an action and its delay in milliseconds.
function Get-AgentRecovery {
    $now = Get-ItemProperty -Path "$Services\$Agent" -ErrorAction SilentlyContinue
    if (-not $now) { throw 'there is no such service' }
    $bytes = [byte[]] @(Get-Value $now 'FailureActions' @())
    $actions = @()
    for ($at = 20; $at + 8 -le $bytes.Count; $at += 8) {
        $kind = @('', 'restart', 'reboot', 'run')[[BitConverter]::ToUInt32($bytes, $at)]
        $actions += "$kind/$([BitConverter]::ToUInt32($bytes, $at + 4))"
    }
    $reset = if ($bytes.Count -ge 4) { [BitConverter]::ToUInt32($bytes, 0) } else { 0 }
    $flag = [int] (Get-Value $now 'FailureActionsOnNonCrashFailures' 0)
    return [ordered] @{ reset = $reset; actions = $actions -join '/'; flag = $flag }
}

# Only on a machine without anything of Casement: a guard has already changed the state that is to be recorded.
function Save-Before {
    if ((Test-Path -LiteralPath $GuardPath) -or (Test-Task $GuardTask) -or (Test-Task $NetworkTask)) { return }
    # A file that was there first would keep its owner, who could write into it later.
    if (Test-Path -LiteralPath $BeforePath) { Remove-Item -LiteralPath $BeforePath -Force }
    Save-Text $BeforePath (Get-AgentRecovery | ConvertTo-Json -Compress)
}

function Install-Guard {
    $script:Doing = "directory $CasementHome"
    Add-Change $Doing (Set-PlannedDirectory ([pscustomobject] @{ path = $CasementHome; access = 'system' }))
    $script:Doing = "file $BeforePath"
    Save-Before
    $script:Doing = "file $GuardPath"
    $bytes = [Convert]::FromBase64String($Guard)
    $file = @{ path = $GuardPath; source = [pscustomobject] @{ from = 'inline'; base64 = $Guard }; sha256 = (Get-ContentHash $bytes); access = 'inherited' }
    Add-Change $Doing (Set-PlannedFile ([pscustomobject] $file))
    $script:Doing = "service-recovery $Agent"
    Add-Change $Doing (Set-Recovery $Agent @(30, 60, 60))
    $script:Doing = "task $GuardTask"
    Add-Change $Doing (Set-PlannedTask ([pscustomobject] @{ name = $GuardTask; script = $GuardPath; arguments = @(); everyMinutes = 1 }))
    $script:Doing = "run-task $GuardTask"
    $run = @{ name = $GuardTask; withinSeconds = 240; record = (Join-Path $CasementHome 'guard.json') }
    Add-Change $Doing (Invoke-PlannedTask ([pscustomobject] $run))
}

function Get-ContentHash([byte[]] $bytes) {
    $sha = New-Object Security.Cryptography.SHA256CryptoServiceProvider
    return ([BitConverter]::ToString($sha.ComputeHash($bytes)) -replace '-', '').ToLowerInvariant()
}

# The agent's recovery before the change. sc.exe gets these words as SYSTEM, so that only a file of SYSTEM or of
# Administrators in exactly the form of Get-AgentRecovery is read; a local user may have made the folder first.
function Get-Before {
    if (-not (Test-Path -LiteralPath $BeforePath -PathType Leaf)) { return $null }
    if (-not (Test-Inherited (Get-Acl -LiteralPath $BeforePath).Sddl)) { return $null }
    try {
        $before = Get-Content -LiteralPath $BeforePath -Raw | ConvertFrom-Json
        $one = '(restart|reboot|run)?/[0-9]{1,10}'
        $isNumbers = "$($before.reset)" -cmatch '^[0-9]{1,10}\z' -and "$($before.flag)" -cmatch '^[01]\z'
        if ($isNumbers -and "$($before.actions)" -cmatch "^($one(/$one)*)?\z") { return $before }
    } catch {
        Write-Verbose "$BeforePath cannot be read: $_"
    }
    return $null
}

function Restore-Recovery {
    $before = Get-Before
    if (-not $before) { return $false }
    # PowerShell 5.1 drops an empty word; two quotation marks arrive as one.
    $actions = if ($before.actions) { "$($before.actions)" } else { '""' }
    Invoke-ServiceControl @('failure', $Agent, 'reset=', "$($before.reset)", 'actions=', $actions)
    Invoke-ServiceControl @('failureflag', $Agent, "$($before.flag)")
    return $true
}

# Removes the task first, so that no run of it writes into the folder, which is removed last.
function Uninstall-Guard {
    $script:Doing = "task $GuardTask"
    if (Test-Task $NetworkTask) { throw 'this machine has more of Casement than its guard: Casement launched it' }
    Add-Change "remove-task $GuardTask" (Remove-PlannedTask ([pscustomobject] @{ name = $GuardTask }))
    $script:Doing = "service-recovery $Agent"
    Add-Change $Doing (Restore-Recovery)
    $script:Doing = "remove-directory $CasementHome"
    if (Test-Path -LiteralPath $CasementHome) {
        Remove-Item -LiteralPath $CasementHome -Recurse -Force
        Add-Change $Doing $true
    }
}

$Doing = 'request'
try {
    $mutex = Enter-Machine
    $wanted = Read-Request $Request
    Assert-Fresh $wanted
    switch -CaseSensitive ("$($wanted.do)") {
        'install' { Install-Guard }
        'remove' { Uninstall-Guard }
        default { throw 'this script installs the guard or removes it' }
    }
    $Outcome.ok = $true
    Write-CasementEvent 4003 $true "$($wanted.operation): $($wanted.do) the guard of the metadata route; changed $($Outcome.changed -join ', ')"
} catch {
    $Outcome.failed = Add-Failure ([ordered] @{ action = $Doing }) $_
    Write-CasementEvent 4003 $false "The guard of the metadata route failed at ${Doing}: $($Outcome.failed.error)"
}
Write-Result $Outcome
if (-not $Outcome.ok) {
    exit 1
}
