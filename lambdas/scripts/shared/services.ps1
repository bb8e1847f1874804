# Windows services. What a service is now is read from the registry, where Windows keeps all of it in one place; it is
# changed through the service manager, which would not notice a change of the registry.
$Services = 'HKLM:\SYSTEM\CurrentControlSet\Services'
$RestartDue = New-Object System.Collections.Generic.List[string]
# After so long a service that was started is looked at again.
$SettleSeconds = 3

function Add-RestartDue([string] $name) {
    if (-not $RestartDue.Contains($name)) { $RestartDue.Add($name) }
}

# Running services whose command line names the file work with its old content until they are restarted.
function Set-RestartDue([string] $path) {
    foreach ($service in @(Get-CimInstance -ClassName Win32_Service -Filter "State='Running'")) {
        if ("$($service.PathName)".ToLowerInvariant().Contains($path.ToLowerInvariant())) { Add-RestartDue $service.Name }
    }
}

function Get-Value($values, [string] $name, $otherwise) {
    if (Test-Has $values $name) { return $values.$name }
    return $otherwise
}

function Test-Same($some, $others) {
    return (@($some | Sort-Object) -join "`n") -ceq (@($others | Sort-Object) -join "`n")
}

# sc.exe is the one native program used: it ends at once. 3010 and 1641 are Windows' ways to say "reboot is due"; they
# are noted and never passed on, because the agent would reboot the machine.
function Invoke-ServiceControl([string[]] $arguments) {
    $said = & sc.exe $arguments
    if (@(3010, 1641) -contains $LASTEXITCODE) { Set-RebootDue }
    elseif ($LASTEXITCODE -ne 0) { throw "sc.exe $($arguments[0]) ended with $LASTEXITCODE`: $said" }
}

function Set-Definition($wanted) {
    $now = Get-ItemProperty -Path "$Services\$($wanted.name)" -ErrorAction SilentlyContinue
    if (-not $now) {
        $new = @{ Name = $wanted.name; BinaryPathName = $wanted.commandLine; Description = $wanted.description; StartupType = $wanted.startType }
        if (@($wanted.dependsOn).Count -gt 0) { $new.DependsOn = @($wanted.dependsOn) }
        New-Service @new | Out-Null
        return $true
    }
    $start = @{ Automatic = 2; Manual = 3 }[$wanted.startType]
    $same = (Get-Value $now 'ImagePath' '') -ceq $wanted.commandLine -and (Get-Value $now 'Start' 0) -eq $start -and
        (Get-Value $now 'ObjectName' '') -eq 'LocalSystem' -and (Get-Value $now 'Description' '') -ceq $wanted.description -and
        (Test-Same (Get-Value $now 'DependOnService' @()) $wanted.dependsOn)
    if (-not $same) { Update-Definition $wanted }
    return -not $same
}

# What Windows shows of a service after it was set must be what was wanted, or each plan would set it again.
function Assert-Definition($wanted) {
    $now = Get-ItemProperty -Path "$Services\$($wanted.name)"
    $shown = [ordered] @{
        'the command line' = @((Get-Value $now 'ImagePath' ''), $wanted.commandLine)
        'the account' = @((Get-Value $now 'ObjectName' ''), 'LocalSystem')
        'what it depends on' = @((@(Get-Value $now 'DependOnService' @() | Sort-Object) -join ', '), (@($wanted.dependsOn | Sort-Object) -join ', '))
    }
    foreach ($what in $shown.Keys) {
        if ($shown[$what][0] -ne $shown[$what][1]) { throw "Windows shows $what as '$($shown[$what][0])', wanted is '$($shown[$what][1])'" }
    }
}

# The codes are those of Win32_Service.Change in Microsoft's reference of WMI; 0 is success.
function Update-Definition($wanted) {
    $change = @{
        PathName = $wanted.commandLine
        StartMode = $wanted.startType
        StartName = 'LocalSystem'
        ServiceDependencies = [string[]] @($wanted.dependsOn)
    }
    # An empty list may mean "leave it" to Win32_Service.Change; sc.exe has a word for none.
    if (@($wanted.dependsOn).Count -eq 0) {
        $change.Remove('ServiceDependencies')
        Invoke-ServiceControl @('config', $wanted.name, 'depend=', '/')
    }
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='$($wanted.name)'"
    $code = (Invoke-CimMethod -InputObject $service -MethodName Change -Arguments $change).ReturnValue
    if ($code -ne 0) { throw "Win32_Service.Change answered $code" }
    Set-Service -Name $wanted.name -Description $wanted.description
}

function Set-ServiceEnvironment($wanted) {
    $key = "$Services\$($wanted.name)"
    $now = @(Get-Value (Get-ItemProperty -Path $key) 'Environment' @())
    if (Test-Same $now $wanted.environment) { return $false }
    if (@($wanted.environment).Count -eq 0) { Remove-ItemProperty -Path $key -Name Environment }
    else { New-ItemProperty -Path $key -Name Environment -PropertyType MultiString -Value ([string[]] $wanted.environment) -Force | Out-Null }
    return $true
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

function Set-PlannedService($action) {
    $defined = Set-Definition $action
    if ($defined) { Assert-Definition $action }
    $changed = $defined -bor (Set-ServiceEnvironment $action)
    if ($changed -and "$((Get-Service -Name $action.name).Status)" -eq 'Running') { Add-RestartDue $action.name }
    return [bool] ($changed -bor (Set-Recovery $action.name $action.restartAfter))
}

# 1066 (ERROR_SERVICE_SPECIFIC_ERROR): the program's code is in the other field. 1077: it was never started.
function Get-ExitText([string] $name) {
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='$name'"
    $code = if ($service.ExitCode -eq 1066) { $service.ServiceSpecificExitCode } else { $service.ExitCode }
    if (@(0, 1077) -contains $code) { return '' }
    return "; its exit code is $code"
}

# A program that finds its configuration wrong is Running for a moment; a second look tells.
function Start-Settled([string] $name) {
    Start-ServiceBounded $name
    Start-Sleep -Seconds $SettleSeconds
    $state = Get-ServiceState $name
    if ($state -ne 'Running') { throw "$name is $state $SettleSeconds seconds after its start" }
}

# Why a program did not stay is in its exit code and at the end of its log.
function Get-StartFailure($action, [string] $reason) {
    $text = "$reason$(Get-ExitText $action.name)"
    $tail = ''
    if (Test-Has $action 'log') { $tail = Get-LogTail $action.log }
    if ($tail) { $text += "; its log ends: $tail" }
    return $text
}

function Set-PlannedState($action) {
    $service = Get-Service -Name $action.name -ErrorAction SilentlyContinue
    if (-not $service -and $action.state -eq 'Stopped') { return $false }
    if (-not $service) { throw 'there is no such service' }
    if ("$($service.Status)" -eq $action.state) { return $false }
    if ($action.state -eq 'Stopped') {
        Stop-ServiceBounded $action.name
        return $true
    }
    try { Start-Settled $action.name } catch { throw (Get-StartFailure $action (Get-ErrorText $_)) }
    return $true
}
