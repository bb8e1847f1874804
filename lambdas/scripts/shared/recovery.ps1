# Recovery of Windows services. The current state is read from the registry, where Windows keeps all of it together, and
# changed through the service manager, which would not notice a change in the registry.
$Services = 'HKLM:\SYSTEM\CurrentControlSet\Services'

function Get-Value($values, [string] $name, $otherwise) {
    if (Test-Has $values $name) { return $values.$name }
    return $otherwise
}

function Test-Same($some, $others) {
    return (@($some | Sort-Object) -join "`n") -ceq (@($others | Sort-Object) -join "`n")
}

# sc.exe is the only native program used; it ends immediately. 3010 and 1641 mean that a reboot is due. They are
# recorded but never passed on, because the agent would reboot the machine.
function Invoke-ServiceControl([string[]] $arguments) {
    $said = & sc.exe $arguments
    if (@(3010, 1641) -contains $LASTEXITCODE) { Set-RebootDue }
    elseif ($LASTEXITCODE -ne 0) { throw "sc.exe $($arguments[0]) ended with $LASTEXITCODE`: $said" }
}

# The structure SERVICE_FAILURE_ACTIONS as the service manager stores it: reset period, four words of which the last
# two are the count and an offset, then a pair of action (1: restart) and delay in milliseconds for each.
function Get-RecoveryBytes([int[]] $seconds) {
    $words = @(86400, 0, 0, $seconds.Count, 20)
    foreach ($second in $seconds) { $words += @(1, ($second * 1000)) }
    return [byte[]] @($words | ForEach-Object { [BitConverter]::GetBytes([int] $_) })
}

# Without the failure flag Windows restarts only what crashed, not what stopped with an error.
function Set-Recovery([string] $name, $seconds) {
    $seconds = [int[]] @($seconds)
    $now = Get-ItemProperty -Path "$Services\$name" -ErrorAction SilentlyContinue
    if (-not $now) { throw 'there is no such service' }
    $bytes = @(Get-Value $now 'FailureActions' @())
    if ($seconds.Count -eq 0 -and $bytes.Count -eq 0) { return $false }
    $flag = (Get-Value $now 'FailureActionsOnNonCrashFailures' 0)
    if ($flag -eq 1 -and ($bytes -join ',') -eq ((Get-RecoveryBytes $seconds) -join ',')) { return $false }
    $actions = @($seconds | ForEach-Object { "restart/$($_ * 1000)" }) -join '/'
    # PowerShell 5.1 drops an empty word; two quotation marks arrive as one.
    if (-not $actions) { $actions = '""' }
    Invoke-ServiceControl @('failure', $name, 'reset=', '86400', 'actions=', $actions)
    Invoke-ServiceControl @('failureflag', $name, '1')
    return $true
}
