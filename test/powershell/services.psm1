# Stand-ins for services: cmdlets, Win32_Service and sc.exe over the same records.
Import-Module (Join-Path $PSScriptRoot 'state.psm1')

function Get-Record([string] $name) {
    $services = (Get-Machine).services
    if ($services.ContainsKey($name)) { return $services[$name] }
    return $null
}

function Get-Service([string] $Name, $ErrorAction) {
    $record = Get-Record $Name
    if ($record) { return [pscustomobject] @{ Name = $Name; Status = $record.state } }
    if ("$ErrorAction" -ne 'SilentlyContinue') { throw "Cannot find any service with service name '$Name'." }
}

function New-Service([string] $Name, [string] $BinaryPathName, [string] $Description, [string] $StartupType, [string[]] $DependsOn) {
    (Get-Machine).services[$Name] = @{
        state = 'Stopped'; startType = $StartupType; commandLine = $BinaryPathName; description = $Description
        dependsOn = @($DependsOn | Where-Object { $_ }); account = 'LocalSystem'; environment = @(); failureActions = @(); failureFlag = 0
    }
    Save-Machine
    [pscustomobject] @{ Name = $Name }
}

function Set-Service([string] $Name, [string] $Description) {
    (Get-Record $Name).description = $Description
    Save-Machine
}

# A service that breaks is Running at first and Stopped after a sleep, as a program with a bad configuration is.
function Start-Service([string] $Name) {
    $record = Get-Record $Name
    foreach ($needed in @($record.dependsOn)) { if ((Get-Record $needed).state -ne 'Running') { Start-Service -Name $needed } }
    $record.state = 'Running'
    if ($record.ContainsKey('breaks') -and $record.breaks) { (Get-Machine).later = @(, @{ services = Get-Broken $Name }) }
    Add-Note "start $Name"
}

function Get-Broken([string] $name) {
    $copy = (Get-Machine).services | ConvertTo-Json -Depth 12 | ConvertFrom-Json -AsHashtable
    $copy[$name].state = 'Stopped'
    return $copy
}

function Stop-Service([string] $Name, [switch] $Force) {
    foreach ($other in @((Get-Machine).services.GetEnumerator() | Where-Object { @($_.Value.dependsOn) -contains $Name })) {
        if ($other.Value.state -eq 'Running') { Stop-Service -Name $other.Key -Force:$Force }
    }
    (Get-Record $Name).state = 'Stopped'
    Add-Note "stop $Name"
}

function Restart-Service([string] $Name, [switch] $Force) {
    Stop-Service -Name $Name -Force:$Force
    Start-Service -Name $Name
}

function Get-CimService([string] $filter) {
    $modes = @{ Automatic = 'Auto'; Manual = 'Manual'; Disabled = 'Disabled' }
    foreach ($entry in (Get-Machine).services.GetEnumerator()) {
        if ($filter -match "^Name='(.*)'$" -and $entry.Key -ne $Matches[1]) { continue }
        if ($filter -match "^State='(.*)'$" -and $entry.Value.state -ne $Matches[1]) { continue }
        [pscustomobject] @{
            Name = $entry.Key; State = $entry.Value.state; StartMode = $modes[$entry.Value.startType]
            PathName = $entry.Value.commandLine; Description = $entry.Value.description
        }
    }
}

function Get-CimInstance([string] $ClassName, [string] $Filter) {
    if ($ClassName -eq 'Win32_Service') { return Get-CimService $Filter }
    if ($ClassName -eq 'Win32_OperatingSystem') { return [pscustomobject] @{ Version = (Get-Machine).build } }
    throw "There is no stand-in for the class $ClassName."
}

function Invoke-CimMethod($InputObject, [string] $MethodName, $Arguments) {
    if ($MethodName -ne 'Change') { throw "There is no stand-in for the method $MethodName." }
    $record = Get-Record $InputObject.Name
    $record.commandLine = $Arguments.PathName
    $record.startType = $Arguments.StartMode
    $record.account = $Arguments.StartName
    $record.dependsOn = @($Arguments.ServiceDependencies)
    Save-Machine
    return [pscustomobject] @{ ReturnValue = 0 }
}

# Stores recovery as the service manager does: SERVICE_FAILURE_ACTIONS in the registry.
function sc.exe {
    $words = @($args | ForEach-Object { $_ })
    $record = Get-Record $words[1]
    $global:LASTEXITCODE = (Get-Machine).scExitCode
    if ($words[0] -eq 'failureflag') { $record.failureFlag = [int] $words[2] }
    else {
        $pairs = @($words[5].Split('/'))
        $numbers = @([int] $words[3], 0, 0, ($pairs.Count / 2), 20)
        for ($at = 0; $at -lt $pairs.Count; $at += 2) { $numbers += @(1, [int] $pairs[$at + 1]) }
        $record.failureActions = @($numbers | ForEach-Object { [BitConverter]::GetBytes([int] $_) } | ForEach-Object { [int] $_ })
    }
    Save-Machine
}

Export-ModuleMember -Function 'Get-Service', 'New-Service', 'Set-Service', 'Start-Service', 'Stop-Service', 'Restart-Service', 'Get-CimInstance', 'Invoke-CimMethod', 'sc.exe'
