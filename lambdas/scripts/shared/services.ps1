# Defines and starts Windows services.
$RestartDue = New-Object System.Collections.Generic.List[string]
# Seconds until a started service is checked again.
$SettleSeconds = 3

function Add-RestartDue([string] $name) {
    if (-not $RestartDue.Contains($name)) { $RestartDue.Add($name) }
}

# Running services whose command line names the file use its old content until they are restarted.
function Set-RestartDue([string] $path) {
    foreach ($service in @(Get-CimInstance -ClassName Win32_Service -Filter "State='Running'")) {
        if ("$($service.PathName)".ToLowerInvariant().Contains($path.ToLowerInvariant())) { Add-RestartDue $service.Name }
    }
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

# Checks that Windows reports the wanted definition after a change; otherwise each plan would set it again.
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
    # Win32_Service.Change may ignore an empty list; sc.exe has a word for it.
    if (@($wanted.dependsOn).Count -eq 0) {
        $change.Remove('ServiceDependencies')
        Invoke-ServiceControl @('config', $wanted.name, 'depend=', '/')
    }
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='$($wanted.name)'"
    $code = (Invoke-CimMethod -InputObject $service -MethodName Change -Arguments $change).ReturnValue
    if ($code -ne 0) { throw "Win32_Service.Change answered $code" }
    Set-Service -Name $wanted.name -Description $wanted.description
}

function Set-PlannedService($action) {
    $changed = Set-Definition $action
    if ($changed) { Assert-Definition $action }
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

# A program with a wrong configuration is Running for a moment, so the state is checked twice.
function Start-Settled([string] $name) {
    Start-ServiceBounded $name
    Start-Sleep -Seconds $SettleSeconds
    $state = Get-ServiceState $name
    if ($state -ne 'Running') { throw "$name is $state $SettleSeconds seconds after its start" }
}

# A program's exit code and the end of its log explain why it did not stay up.
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
    try { Start-Settled $action.name } catch { throw (New-Fault (Get-ErrorCode $_) (Get-StartFailure $action (Get-ErrorText $_))) }
    return $true
}
