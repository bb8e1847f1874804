# casement-script: apply
#
# Executes a plan: small actions in their order, each only if the machine differs from the wanted state. Stops at the
# first that fails. Casement decides the actions; this script knows nothing of nodes. Never reboots.
[CmdletBinding()]
param([string] $Request = '{{ Request }}')

# include: shared/session.ps1

# include: shared/causes.ps1

# include: shared/text.ps1

# include: shared/events.ps1

# include: shared/metadata.ps1

# include: shared/hash.ps1

# include: shared/aws.ps1

# include: shared/action.ps1

# include: shared/files.ps1

# include: shared/certificates.ps1

# include: shared/service-control.ps1

# include: shared/recovery.ps1

# include: shared/services.ps1

# include: shared/environment.ps1

# include: shared/variables.ps1

# include: shared/tasks.ps1

# include: shared/prefix.ps1

# include: shared/windows.ps1

$Outcome = [ordered] @{ script = 'apply'; ok = $false; changed = @(); unchanged = 0; failed = $null; rebootDue = $false; restartDue = @() }

function Set-RebootDue {
    $Outcome.rebootDue = $true
}

# Functions by action; each returns true if it changed the machine.
$Acts = @{
    'directory' = 'Set-PlannedDirectory'
    'file' = 'Set-PlannedFile'
    'remove-file' = 'Remove-PlannedFile'
    'remove-directory' = 'Remove-PlannedDirectory'
    'certificate' = 'Set-PlannedCertificate'
    'remove-certificate' = 'Remove-PlannedCertificate'
    'feature' = 'Set-PlannedFeature'
    'firewall-rule' = 'Set-PlannedFirewallRule'
    'service' = 'Set-PlannedService'
    'service-variable' = 'Set-PlannedServiceVariable'
    'service-recovery' = { param($action) Set-Recovery $action.name $action.restartAfter }
    'service-state' = 'Set-PlannedState'
    'task' = 'Set-PlannedTask'
    'remove-task' = 'Remove-PlannedTask'
    'run-task' = 'Invoke-PlannedTask'
    'defender-exclusion' = 'Set-PlannedExclusion'
}

# An action's name in the result: "service kubelet", "file C:\k\kubelet.conf".
function Get-Words($action) {
    foreach ($name in @('path', 'name', 'process', 'thumbprint')) {
        if (Test-Has $action $name) { return "$($action.do) $($action.$name)" }
    }
    return "$($action.do)"
}

# Reads the plan from the request or from the bucket. A damaged download is repeated once.
function Get-Plan($asked) {
    if (Test-Has $asked 'plan') { return $asked.plan }
    foreach ($name in @('bucket', 'key', 'version', 'sha256')) {
        if (-not (Test-Has $asked $name) -or $asked.$name -isnot [string]) { throw 'the request holds no plan and no place of one' }
    }
    $bytes = Read-Object $asked
    if ((Get-BytesHash $bytes) -ne $asked.sha256) { $bytes = Read-Object $asked }
    $sha256 = Get-BytesHash $bytes
    if ($sha256 -ne $asked.sha256) { throw "the plan has sha256 $sha256, wanted is $($asked.sha256)" }
    return [Text.Encoding]::UTF8.GetString($bytes) | ConvertFrom-Json
}

function Invoke-Action($action) {
    Assert-Action $action
    if (& $Acts[$action.do] $action) { $Outcome.changed += Get-Words $action }
    else { $Outcome.unchanged++ }
}

function Invoke-Plan($plan) {
    if ($plan.format -ne 2) { throw "this script knows no plan of format $($plan.format)" }
    Assert-Fresh $plan
    if (Test-Has $plan 'operation') { $script:AskedBy = "$($plan.operation)" }
    $number = 0
    foreach ($action in @($plan.actions)) {
        $number++
        $script:Doing = "action $number"
        if (-not (Test-Has $action 'do')) { throw 'it does not say what to do' }
        $script:Doing = Get-Words $action
        Invoke-Action $action
    }
}

# Leaves a trace for the machine's administrator: an event, and a line in a log that starts over at a megabyte.
# A full disk must not fail a completed plan.
function Save-Trace {
    $end = if ($Outcome.ok) { 'done' } else { "failed at $($Outcome.failed.action): $($Outcome.failed.error)" }
    $text = "$AskedBy $end; changed $($Outcome.changed.Count), unchanged $($Outcome.unchanged): $($Outcome.changed -join ', ')"
    Write-CasementEvent 4000 $Outcome.ok $text
    $log = Join-Path $CasementHome 'apply.log'
    try {
        if ((Test-Path -LiteralPath $log) -and (Get-Item -LiteralPath $log).Length -gt 1048576) { Move-IntoPlace $log "$log.1" }
        if (Test-Path -LiteralPath $CasementHome) { [IO.File]::AppendAllText($log, "$([DateTime]::UtcNow.ToString('o')) $text`r`n") }
    } catch {
        Write-CasementEvent 4000 $false "The line could not be written to ${log}: $(Get-ErrorText $_)"
    }
}

function Limit-Changes($changes, [int] $characters) {
    $kept = @()
    foreach ($change in $changes) {
        $characters -= $change.Length + 10
        if ($characters -lt 0) { return @($kept) + "and $($changes.Count - $kept.Count) more" }
        $kept += $change
    }
    return $kept
}

# Shortens a line that is too long: first it loses its list of changes, then the end of its error.
function Limit-Outcome {
    $changes = @($Outcome.changed)
    foreach ($characters in @(1000, 300, 0)) {
        $Outcome.changed = @(Limit-Changes $changes $characters)
        if ((Get-ResultLine $Outcome).Length -le $MostCharacters) { return }
    }
    for ($length = 500; $null -ne $Outcome.failed -and $length -gt 10; $length = [int] ($length / 2)) {
        foreach ($name in @('error', 'action')) {
            $text = $Outcome.failed[$name]
            if ($text.Length -gt $length) { $Outcome.failed[$name] = $text.Substring(0, $length) + '...' }
            if ((Get-ResultLine $Outcome).Length -le $MostCharacters) { return }
        }
    }
}

$Doing = 'request'
$AskedBy = 'an unknown operation'
try {
    $mutex = Enter-Machine
    Invoke-Plan (Get-Plan (Read-Request $Request))
    $Outcome.ok = $true
} catch {
    $Outcome.failed = Add-Failure ([ordered] @{ action = $Doing }) $_
}
$Outcome.restartDue = $RestartDue.ToArray()
Save-Trace
Limit-Outcome
Write-Result $Outcome
exit [int] (-not $Outcome.ok)
