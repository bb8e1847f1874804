# Windows services. What a service is now is read from the registry, where Windows keeps all of it in one place; it is
# changed through the service manager, which would not notice a change of the registry.
$Services = 'HKLM:\SYSTEM\CurrentControlSet\Services'
$RestartDue = New-Object System.Collections.Generic.List[string]

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

# The codes are those of Win32_Service.Change in Microsoft's reference of WMI; 0 is success.
function Update-Definition($wanted) {
    $change = @{
        PathName = $wanted.commandLine
        StartMode = $wanted.startType
        StartName = 'LocalSystem'
        ServiceDependencies = [string[]] @($wanted.dependsOn)
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

function Set-PlannedService($operation) {
    $defined = Set-Definition $operation
    $changed = $defined -bor (Set-ServiceEnvironment $operation)
    if ($changed -and "$((Get-Service -Name $operation.name).Status)" -eq 'Running') { Add-RestartDue $operation.name }
    return [bool] ($changed -bor (Set-Recovery $operation.name $operation.restartAfter))
}

function Wait-Service([string] $name, [string] $state, [int] $seconds) {
    $deadline = [DateTime]::UtcNow.AddSeconds($seconds)
    while ("$((Get-Service -Name $name).Status)" -ne $state) {
        if ([DateTime]::UtcNow -ge $deadline) { throw "it is $((Get-Service -Name $name).Status) after $seconds seconds" }
        Start-Sleep -Milliseconds 500
    }
}

# A program that finds its configuration wrong is Running for a moment; a second look tells.
function Set-PlannedState($operation) {
    $service = Get-Service -Name $operation.name -ErrorAction SilentlyContinue
    if (-not $service -and $operation.state -eq 'Stopped') { return $false }
    if (-not $service) { throw 'there is no such service' }
    if ("$($service.Status)" -eq $operation.state) { return $false }
    if ($operation.state -eq 'Stopped') {
        Stop-Service -Name $operation.name -Force
        Wait-Service $operation.name 'Stopped' 120
        return $true
    }
    Start-Service -Name $operation.name
    Wait-Service $operation.name 'Running' 60
    Start-Sleep -Seconds $SettleSeconds
    Wait-Service $operation.name 'Running' 1
    return $true
}
