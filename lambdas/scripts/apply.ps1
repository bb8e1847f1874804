# casement-script: apply
#
# Executes a plan: small operations in their order, each only where the machine is not yet as wanted, up to the first
# that fails. What to do is decided elsewhere; nothing here knows what a node is. Never reboots.
[CmdletBinding()]
param([string] $Request = '{{ Request }}')

# include: shared/session.ps1

# include: shared/text.ps1

# include: shared/files.ps1

# include: shared/services.ps1

# include: shared/tasks.ps1

# include: shared/windows.ps1

# Seconds after which a service that was started is looked at again.
$SettleSeconds = 3

$Outcome = [ordered] @{ script = 'apply'; ok = $false; changed = @(); unchanged = 0; failed = $null; rebootDue = $false; restartDue = @() }

function Set-RebootDue {
    $Outcome.rebootDue = $true
}

# Each answers whether it changed the machine.
$Acts = @{
    'directory' = { param($operation) Set-PlannedDirectory $operation }
    'file' = { param($operation) Set-PlannedFile $operation }
    'remove-file' = { param($operation) Remove-PlannedFile $operation }
    'feature' = { param($operation) Set-PlannedFeature $operation }
    'firewall-rule' = { param($operation) Set-PlannedFirewallRule $operation }
    'environment' = { param($operation) Set-PlannedVariable $operation }
    'service' = { param($operation) Set-PlannedService $operation }
    'service-recovery' = { param($operation) Set-Recovery $operation.name $operation.restartAfter }
    'service-state' = { param($operation) Set-PlannedState $operation }
    'task' = { param($operation) Set-PlannedTask $operation }
    'run-task' = { param($operation) Invoke-PlannedTask $operation }
    'defender-exclusion' = { param($operation) Set-PlannedExclusion $operation }
}

# "service kubelet", "file C:\k\kubelet.conf": how an operation is named in the result.
function Get-Words($operation) {
    foreach ($name in @('path', 'name', 'process')) {
        if (Test-Has $operation $name) { return "$($operation.do) $($operation.$name)" }
    }
    return "$($operation.do)"
}

# The plan itself, or the one that lies in the bucket: read once, so that what was checked is what is used.
function Get-Plan($asked) {
    if (Test-Has $asked 'plan') { return $asked.plan }
    $file = [IO.Path]::GetTempFileName()
    try {
        Read-Bucket $asked $file
        $bytes = [IO.File]::ReadAllBytes($file)
    } finally {
        [IO.File]::Delete($file)
    }
    $sha256 = [BitConverter]::ToString([Security.Cryptography.SHA256]::Create().ComputeHash($bytes)).Replace('-', '').ToLowerInvariant()
    if ($sha256 -ne $asked.sha256) { throw "the plan has sha256 $sha256, wanted is $($asked.sha256)" }
    return [Text.Encoding]::UTF8.GetString($bytes) | ConvertFrom-Json
}

function Invoke-Operation($operation) {
    if (-not $Acts.ContainsKey("$($operation.do)")) { throw 'this script knows no such operation' }
    if (& $Acts[$operation.do] $operation) { $Outcome.changed += Get-Words $operation }
    else { $Outcome.unchanged++ }
}

function Invoke-Plan($plan) {
    if ($plan.format -ne 1) { throw "this script knows no plan of format $($plan.format)" }
    Assert-Fresh $plan.notAfter
    foreach ($operation in @($plan.operations)) {
        $script:Doing = Get-Words $operation
        Invoke-Operation $operation
    }
}

$Doing = 'request'
try {
    $mutex = Enter-Machine
    Invoke-Plan (Get-Plan (Read-Request $Request))
    $Outcome.ok = $true
} catch {
    $Outcome.failed = [ordered] @{ operation = $Doing; error = Get-ErrorText $_ }
}
$Outcome.restartDue = $RestartDue.ToArray()
Write-Result $Outcome
exit [int] (-not $Outcome.ok)
