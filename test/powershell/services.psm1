# Stand-ins for services: cmdlets, Win32_Service and sc.exe over the same records.
Import-Module (Join-Path $PSScriptRoot 'state.psm1')

function Get-Record([string] $name) {
    $services = (Get-Machine).services
    if ($services.ContainsKey($name)) { return $services[$name] }
    return $null
}

function Get-Service([string] $Name, $ErrorAction) {
    $record = Get-Record $Name
    if ($record) { return ConvertTo-Controller $Name $record }
    Stop-Absent "Cannot find any service with service name '$Name'." $ErrorAction
}

# Like .NET's ServiceController: it requests a start without waiting, and lists its dependents.
function ConvertTo-Controller([string] $name, $record) {
    $needed = @((Get-Machine).services.GetEnumerator() | Where-Object { @($_.Value.dependsOn) -contains $name })
    $dependents = @($needed | ForEach-Object { [pscustomobject] @{ Name = $_.Key; Status = $_.Value.state } })
    $controller = [pscustomobject] @{ Name = $name; Status = $record.state; StartType = $record.startType; DependentServices = $dependents }
    $controller | Add-Member -MemberType ScriptMethod -Name Start -Value { Start-Asked $this.Name }
    return $controller
}

function New-Service([string] $Name, [string] $BinaryPathName, [string] $Description, [string] $StartupType, [string[]] $DependsOn) {
    (Get-Machine).services[$Name] = @{
        state = 'Stopped'; startType = $StartupType; commandLine = $BinaryPathName; description = $Description
        dependsOn = @($DependsOn | Where-Object { $_ }); account = 'LocalSystem'; environment = @(); failureActions = @(); failureFlag = 0; exitCode = 0
    }
    Save-Machine
    [pscustomobject] @{ Name = $Name }
}

function Set-Service([string] $Name, [string] $Description) {
    (Get-Record $Name).description = $Description
    Save-Machine
}

function Test-Does($record, [string] $what) {
    return $record.ContainsKey('does') -and $record.does -eq $what
}

# A service that breaks is Running at first and Stopped after a sleep, as a program with a bad configuration is; one that
# hangs stays pending.
function Start-Asked([string] $Name) {
    $record = Get-Record $Name
    foreach ($needed in @($record.dependsOn)) { if ((Get-Record $needed).state -ne 'Running') { Start-Asked $needed } }
    if (Test-Does $record 'refuses') {
        $words = New-Object ComponentModel.Win32Exception 'The service did not respond to the start or control request in a timely fashion'
        throw (New-Object InvalidActionException "Cannot start service $Name on computer '.'.", $words)
    }
    if ($record.ContainsKey('writes')) { foreach ($path in $record.writes.Keys) { [IO.File]::AppendAllText($path, $record.writes[$path]) } }
    $record.state = if (Test-Does $record 'hangs') { 'StartPending' } else { 'Running' }
    if (Test-Does $record 'breaks') { (Get-Machine).later = @(, @{ services = Get-Broken $Name }) }
    Add-Note "start $Name"
}

function Get-Broken([string] $name) {
    $copy = (Get-Machine).services | ConvertTo-Json -Depth 12 | ConvertFrom-Json -AsHashtable
    $copy[$name].state = 'Stopped'
    return $copy
}

# The real cmdlets wait without limit for a service that stays pending, so no script may use them without -NoWait.
function Stop-Service([string] $Name, [switch] $Force, [switch] $NoWait) {
    if (-not $NoWait) { throw 'Stop-Service without -NoWait may wait for ever.' }
    $record = Get-Record $Name
    $record.state = if (Test-Does $record 'hangs') { 'StopPending' } else { 'Stopped' }
    Add-Note "stop $Name"
}
function Start-Service { throw 'Start-Service may wait for ever.' }
function Restart-Service { throw 'Restart-Service may wait for ever.' }

function Get-CimService([string] $filter) {
    $modes = @{ Automatic = 'Auto'; Manual = 'Manual'; Disabled = 'Disabled' }
    foreach ($entry in (Get-Machine).services.GetEnumerator()) {
        if ($filter -match "^Name='(.*)'$" -and $entry.Key -ne $Matches[1]) { continue }
        if ($filter -match "^State='(.*)'$" -and $entry.Value.state -ne $Matches[1]) { continue }
        [pscustomobject] @{
            Name = $entry.Key; DisplayName = $entry.Key; State = $entry.Value.state; StartMode = $modes[$entry.Value.startType]
            PathName = $entry.Value.commandLine; Description = $entry.Value.description
            ProcessId = if ($entry.Value.state -eq 'Stopped') { 0 } else { 4711 }
            # 1077: not started since the boot. 1066: the program's own code is in the other field.
            ExitCode = if ($entry.Value.exitCode -eq 1077) { 1077 } elseif ($entry.Value.exitCode) { 1066 } else { 0 }
            ServiceSpecificExitCode = $entry.Value.exitCode
        }
    }
}

function Get-CimInstance([string] $ClassName, [string] $Filter, [int] $OperationTimeoutSec) {
    if ($ClassName -eq 'Win32_Service') { return Get-CimService $Filter }
    if ($ClassName -eq 'Win32_OperatingSystem') { return [pscustomobject] @{ Version = (Get-Machine).build; LastBootUpTime = [DateTime]::UtcNow.AddHours(-1) } }
    if ($ClassName -eq 'Win32_LogicalDisk') { return [pscustomobject] @{ FreeSpace = 75161927680; Size = 107374182400 } }
    if ($ClassName -eq 'Win32_SystemAccount') { return [pscustomobject] @{ Name = (Get-Machine).systemName } }
    if ($Filter -match '^ProcessId=') { return [pscustomobject] @{ CreationDate = [DateTime]::new(2026, 1, 1, 0, 0, 0, [DateTimeKind]::Utc) } }
    if ($ClassName -eq 'Win32_Process') { return @((Get-Machine).processes | Where-Object { $_ } | ForEach-Object { [pscustomobject] @{ ExecutablePath = $_; ProcessId = 4711 } }) }
    throw "There is no stand-in for the class $ClassName."
}

function Invoke-CimMethod($InputObject, [string] $MethodName, $Arguments) {
    if ($MethodName -ne 'Change') { throw "There is no stand-in for the method $MethodName." }
    $record = Get-Record $InputObject.Name
    $record.commandLine = $Arguments.PathName
    $record.startType = $Arguments.StartMode
    $imposed = (Get-Machine).imposedAccount
    $record.account = if ($imposed) { $imposed } else { $Arguments.StartName }
    # An empty list changes nothing (assumed: the reference does not say).
    if ($Arguments.ContainsKey('ServiceDependencies') -and @($Arguments.ServiceDependencies).Count -gt 0) { $record.dependsOn = @($Arguments.ServiceDependencies) }
    Save-Machine
    return [pscustomobject] @{ ReturnValue = 0 }
}

# Stores recovery as the service manager does: SERVICE_FAILURE_ACTIONS in the registry.
function sc.exe {
    $words = @($args | ForEach-Object { $_ })
    $record = Get-Record $words[1]
    $global:LASTEXITCODE = (Get-Machine).scExitCode
    if ($words[0] -eq 'config') { $record.dependsOn = @() }
    elseif ($words[0] -eq 'failureflag') { $record.failureFlag = [int] $words[2] }
    else {
        $pairs = @(if ($words[5] -ne '""') { $words[5].Split('/') })
        $numbers = @([int] $words[3], 0, 0, ($pairs.Count / 2), 20)
        for ($at = 0; $at -lt $pairs.Count; $at += 2) { $numbers += @(1, [int] $pairs[$at + 1]) }
        $record.failureActions = @($numbers | ForEach-Object { [BitConverter]::GetBytes([int] $_) } | ForEach-Object { [int] $_ })
    }
    Save-Machine
}

Export-ModuleMember -Function 'Get-Service', 'New-Service', 'Set-Service', 'Start-Service', 'Stop-Service', 'Restart-Service', 'Get-CimInstance', 'Invoke-CimMethod', 'sc.exe'
